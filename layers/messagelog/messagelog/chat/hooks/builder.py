"""The builder of a hook: `chat.hook().message("user").regex("help").max_triggers(1).do(callback)`."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

from messagelog.chat.hooks.events import STREAM_KINDS, Phase
from messagelog.chat.hooks.registry import Hook, Hooks, Selection
from messagelog.messages import ROLES


@dataclass(frozen=True, slots=True)
class HookBuilder:
    """Selects the events of a hook step by step. `do` registers the hook. Each step returns a new builder.

    Attributes:
        hooks: The registry that the hook joins.
        selection: The events selected so far.
        limit: How often the hook may be called; None for any number.
    """

    hooks: Hooks
    selection: Selection = field(default_factory=Selection)
    limit: int | None = None

    def message(self, *roles: str) -> HookBuilder:
        """Selects messages of these roles, or all messages if none is given.

        Raises:
            ValueError: A role is unknown.
        """
        return self._selecting(target="chat", kinds=_known(roles, ROLES, "role"))

    def stream(self, *kinds: str) -> HookBuilder:
        """Selects parts of a streamed reply: `content`, `reasoning`, `tool_call`, `finish`, or all if none is given.

        Raises:
            ValueError: A kind is unknown.
        """
        return self._selecting(target="stream", kinds=_known(kinds, STREAM_KINDS, "kind of stream event"))

    def tool(self, *names: str) -> HookBuilder:
        """Selects runs of the tools with these names, or of all tools. `before`, `after` or `error` selects a phase."""
        return self._selecting(target="tool", kinds=frozenset(names))

    def before(self) -> HookBuilder:
        """Selects the phase before a tool runs."""
        return self.phase("before")

    def after(self) -> HookBuilder:
        """Selects the phase after a tool returned."""
        return self.phase("after")

    def error(self) -> HookBuilder:
        """Selects the phase after a tool raised."""
        return self.phase("error")

    def phase(self, phase: Phase) -> HookBuilder:
        """Selects a phase of a tool's run."""
        return self._selecting(phase=phase)

    def regex(self, pattern: str | re.Pattern[str]) -> HookBuilder:
        """Selects events in whose text the pattern is found. `events.text_of` says which text an event has.

        Raises:
            ValueError: The pattern is not a regular expression.
        """
        try:
            return self._selecting(pattern=re.compile(pattern))
        except (re.error, OverflowError, RecursionError) as error:
            raise ValueError(f"is not a regular expression: {error}") from None

    def max_triggers(self, n: int) -> HookBuilder:
        """Limits the hook to `n` calls. After the last one it is removed.

        Raises:
            ValueError: `n` is not a whole number of at least 1.
        """
        if type(n) is not int or n < 1:
            raise ValueError("max_triggers must be a whole number, 1 or more")
        return replace(self, limit=n)

    def do(self, callback: Callable[[Any], object]) -> Hook:
        """Puts the hook in force.

        Args:
            callback: Called with a StoredMessage, a stream event or a ToolEvent.

        Raises:
            ValueError: A phase is selected, but the hook is not on tools.
        """
        chosen = self.selection
        if chosen.phase and chosen.target != "tool":
            raise ValueError(f"{chosen.phase}() is for hooks on tools: begin with tool()")
        hook = Hook(self.hooks, chosen, callback, self.limit)
        self.hooks.add(hook)
        return hook

    def _selecting(self, **changes: Any) -> HookBuilder:
        return replace(self, selection=replace(self.selection, **changes))


def _known(given: tuple[str, ...], known: tuple[str, ...], what: str) -> frozenset[str]:
    for one in given:
        if one not in known:
            raise ValueError(f"{json.dumps(str(one))} is not a known {what}; known are {', '.join(known)}")
    return frozenset(str(one) for one in given)
