"""The door of a log: each message is checked here, once, on its way in."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from messagelog import codec
from messagelog.messages import AgentMessage
from messagelog.reply_limit import check_fits_a_reply


def admit(message: AgentMessage | Mapping[str, object], path: str = "") -> AgentMessage:
    """Checks a message before it is stored, and returns it as a value that shares nothing with the argument.

    Args:
        message: The message, as a value or in its JSON form.
        path: The path of the message in what the caller gave, for errors.

    Raises:
        CodecError: The message cannot be stored and read back equal.
        MessageTooLargeError: No reply could carry the message.
    """
    checked = codec.parse(message, path)
    check_fits_a_reply(checked, path)
    return checked


def admit_all(messages: Iterable[AgentMessage | Mapping[str, object]]) -> tuple[AgentMessage, ...]:
    """Checks the messages of a batch. See `admit`."""
    return tuple(admit(message, path) for path, message in codec.each(messages))
