"""A chat whose window begins beyond the end of its log, as after a restore of the log alone, says so."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from messagelog import StorageUnavailableError
from messagelog.chat import Chat
from messagelog.memory import MemoryStorage

from tests.support.chats import Talk


@pytest.fixture
def restored(talk: Talk) -> Talk:
    """A chat of three messages, the last of them in the window; its log has lost the last two."""
    chat = talk.chat()
    chat.user("a")
    chat.user("b")
    chat.handoff(Nothing())
    chat.user("c")
    talk.storage = MemoryStorage()
    talk.chat().user("a")
    return talk


class Nothing:
    def apply(self, messages: object) -> list[object]:
        return []


@pytest.mark.parametrize(
    "read",
    [Chat.messages, Chat.historic_messages, lambda chat: chat.handoff(Nothing())],
    ids=["now", "past", "handoff"],
)
def test_a_read_says_what_happened(restored: Talk, read: Callable[[Chat], object]) -> None:
    with pytest.raises(StorageUnavailableError, match="begins after message 2, but its log holds only 1") as caught:
        read(restored.chat())
    assert caught.value.code == "WindowBeyondLog"


def test_a_send_writes_nothing_where_nobody_would_see_it(restored: Talk) -> None:
    restored.service().queue().user("queued")
    with pytest.raises(StorageUnavailableError, match="clear the chat"):
        restored.service().send("d")
    assert (restored.said(), len(restored.state.staged(limit=9))) == ([("user", "a")], 1)


def test_a_clear_repairs_it(restored: Talk) -> None:
    restored.chat().clear_messages()
    restored.chat().user("d")
    assert [message.content for message in restored.chat().messages()] == ["d"]


def test_a_window_at_the_end_of_the_log_is_empty(talk: Talk) -> None:
    talk.chat().user("a")
    talk.chat().clear_messages()
    assert (talk.chat().messages(), talk.chat().messages(after=5), talk.chat().historic_messages()) == ([], [], [])
