"""Tools that a model may call, in packages that can bring a text on how to use them."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from messagelog.chat.prompts.container import PromptContainer
from messagelog.chat.prompts.store import TUTORIALS
from messagelog.messages import JSONValue, ToolCall
from messagelog.strictjson import copied, dumps

if TYPE_CHECKING:
    from messagelog.chat.chat import Chat

_NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}")  # OpenAI's and Bedrock's rule for the name of a function or tool


class UnknownToolError(LookupError):
    """The model called a tool that there is not."""


@dataclass(frozen=True, slots=True)
class Tool:
    """A function for the model to call.

    `parameters` is the JSON schema of its args. `run(args)` gets the args as the model wrote them, text if they are no
    JSON, and returns a text or a JSON value; what it raises, the model is told. It gives up by itself in good time:
    the send waits for it without a limit.
    """

    name: str
    description: str
    parameters: Mapping[str, Any]
    run: Callable[[Any], JSONValue]


class ToolPackage:
    """Tools that belong together. Subclass it."""

    def tools(self) -> Sequence[Tool]:
        """The tools. They are asked for once, when the package is added."""
        raise NotImplementedError

    def tutorial(self) -> str | None:
        """What the model should know of using them together, for the system prompt; None for nothing."""
        return None


class ToolSuite:
    """The tools of a chat. Tutorials of their packages are put into the chat's prompt tree, under `tutorials`."""

    def __init__(self, chat: Chat | None = None) -> None:
        self._chat = chat
        self._tools: dict[str, Tool] = {}
        self._tutorials: list[tuple[str, str, str]] = []

    def add(self, package: ToolPackage) -> None:
        """Adds the tools of a package, and its tutorial, or nothing of it.

        Raises ValueError if a tool's name is taken, or none, CodecError if the tutorial is no text, and what the chat's
        prompt tree raises.
        """
        if isinstance(package, Tool):
            raise TypeError("add takes a ToolPackage, not a Tool: return the tool in the tools() of one")
        tools: dict[str, Tool] = {}
        for tool in package.tools():
            if not _NAME.fullmatch(tool.name):
                raise ValueError(f"{tool.name!r} is no name for a tool: use 1 to 64 of a-z, A-Z, 0-9, _ and -")
            if tool.name in tools or tool.name in self._tools:
                raise ValueError(f"there is a tool {tool.name!r} already: give each tool a name of its own")
            tools[tool.name] = tool
        text = package.tutorial()
        tutorials = [] if text is None else [(f"Tool Package {type(package).__name__}", ", ".join(tools), text)]
        self._teach(tutorials)
        self._tools.update(tools)
        self._tutorials += tutorials

    def tools(self) -> list[Tool]:
        """All tools, in the order they were added."""
        return list(self._tools.values())

    def run(self, call: ToolCall) -> str:
        """Runs the tool that was called, and returns its result as text: what is no text as JSON.

        Raises UnknownToolError, CodecError for a result that is no JSON, and what the tool raises.
        """
        tool = self._tools.get(call.name)
        if tool is None:
            raise UnknownToolError(f"there is no tool of this name; there are: {', '.join(self._tools) or 'none'}")
        result = tool.run(copied(call.args, "args"))
        return str.__str__(result) if isinstance(result, str) else dumps(copied(result, "result"))

    def clear(self) -> None:
        """Removes all tools and what is known of their tutorials; the chat's prompt tree stays as it is."""
        self._tools.clear()
        self._tutorials.clear()

    def reset_tutorials(self) -> None:
        """Puts the tutorials of all packages into the chat's prompt tree: again, if it was cleared or put anew."""
        self._teach(self._tutorials)

    def _teach(self, tutorials: Sequence[tuple[str, str, str]]) -> None:
        def put(root: PromptContainer) -> None:
            for title, names, text in tutorials:
                container = root.child(TUTORIALS).child(title, replace=True)
                container.prompt("Applicability", replace=True).set_content(names)
                container.prompt("Tutorial", replace=True).set_content(text)

        if self._chat is not None and tutorials:
            self._chat.prompt_store.update(put)
