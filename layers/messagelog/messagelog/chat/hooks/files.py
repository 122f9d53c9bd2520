"""JSON hooks: hooks that are defined in the `.json` files of a folder.

A file holds one definition or a list of them:

    {"target": "chat", "roles": ["assistant"], "regex": "not sure", "maxTriggers": 1, "label": "nudge", "actions": [
        {"type": "log"}, {"type": "queue-message", "role": "user", "content": "You said: {{content}}. Try again."}]}

`target` is `chat`, `stream` or `tool`. A hook on tools has `tools`, and its `event` is `before`, `after` (the default)
or `error`. The `event` of a hook on the stream is a kind of stream event or a list of kinds. A definition with
`"enabled": false` is left out.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from messagelog.chat.hooks.actions import Actions, Controls
from messagelog.chat.hooks.builder import HookBuilder
from messagelog.chat.hooks.definitions import read_definition
from messagelog.chat.hooks.events import Event
from messagelog.chat.hooks.registry import Hook, Hooks
from messagelog.chat.queue import HookMessageWriter
from messagelog.strictjson import MAX_LEVELS, copied, loads

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Fault:
    """A file that was left out.

    Attributes:
        file: Its name.
        reason: The error in it.
    """

    file: str
    reason: str


class JsonHooks:
    """The JSON hooks of one chat.

    Args:
        hooks: The registry of the chat's hooks.
        writer: Takes the messages that actions queue.
        controls: Takes the actions on the running send.
    """

    def __init__(self, hooks: Hooks, writer: HookMessageWriter, controls: Controls) -> None:
        self._hooks = hooks
        self._actions = Actions(writer, controls)
        self._loaded: list[Hook] = []

    def load(self, folder: str | Path) -> list[Fault]:
        """Puts the hooks of all `.json` files in force, in the order of the file names.

        The hooks that were loaded before are ended first.

        Args:
            folder: The folder of the files.

        Returns:
            The files with an error, and the folder if it does not exist. They are left out and logged as warnings.
        """
        self.clear()
        faults: list[Fault] = []
        for file in sorted(Path(folder).glob("*.json")):
            try:
                for builder, callback in self._definitions(file):
                    self._loaded.append(builder.do(callback))
            except (OSError, ValueError) as error:
                faults.append(Fault(file.name, str(error)))
        if not Path(folder).is_dir():
            faults.append(Fault(str(folder), "is not a folder"))
        for fault in faults:
            logger.warning("JSON hooks left out: %s: %s", fault.file, fault.reason)
        return faults

    def clear(self) -> None:
        """Ends the hooks that were loaded."""
        for hook in self._loaded:
            hook.dispose()
        self._loaded.clear()

    def _definitions(self, file: Path) -> list[tuple[HookBuilder, Callable[[Event], None]]]:
        value = loads(file.read_text(encoding="utf-8"), max_levels=MAX_LEVELS)
        copied(value, "")  # refuses duplicate keys and lone surrogates
        entries = {f"[{index}]": each for index, each in enumerate(value)} if isinstance(value, list) else {"": value}
        found = [read_definition(each, path, self._hooks, self._actions) for path, each in entries.items()]
        return [each for each in found if each]
