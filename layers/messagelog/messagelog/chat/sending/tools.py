"""Tools that a model may call, in packages that can bring a tutorial for the system prompt."""

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

_NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}")  # the rule of OpenAI and of Bedrock for the name of a function or tool


class UnknownToolError(LookupError):
    """The model called an unknown tool."""


@dataclass(frozen=True, slots=True)
class Tool:
    """A function that the model may call.

    Attributes:
        name: 1 to 64 of a-z, A-Z, 0-9, `_` and `-`.
        description: A text for the model; it may be empty.
        parameters: The JSON schema of the args.
        run: The function. It is called with the args that the model wrote; args that are not JSON are passed as text.
            It returns text or a JSON value. If it raises, the model gets the text of the error. The send waits for it
            without a time limit.
    """

    name: str
    description: str
    parameters: Mapping[str, Any]
    run: Callable[[Any], JSONValue]


class ToolPackage:
    """The base class of a group of tools."""

    def tools(self) -> Sequence[Tool]:
        """Returns the tools. It is called once, when the package is added."""
        raise NotImplementedError

    def tutorial(self) -> str | None:
        """Returns a text for the system prompt that explains how to use the tools together, or None."""
        return None


class ToolSuite:
    """The tools of a chat. The tutorials of their packages are in the chat's prompt tree, under `tutorials`.

    Args:
        chat: The chat; None for tools without a prompt tree.
    """

    def __init__(self, chat: Chat | None = None) -> None:
        self._chat = chat
        self._tools: dict[str, Tool] = {}
        self._tutorials: list[tuple[str, str, str]] = []

    def add(self, package: ToolPackage) -> None:
        """Adds the tools of a package and its tutorial. If it raises, neither is added.

        A tutorial for which the prompt tree has no room is left out and logged.

        Args:
            package: The package.

        Raises:
            TypeError: It is a Tool, not a package.
            ValueError: The name of a tool is already used, or providers would refuse it.
            CodecError: The tutorial is not text.
            PromptChangedError: Other processes kept changing the prompt tree.
        """
        if isinstance(package, Tool):
            raise TypeError("add takes a ToolPackage, not a Tool: return the tool from the tools() of a package")
        tools: dict[str, Tool] = {}
        for tool in package.tools():
            if not _NAME.fullmatch(tool.name):
                raise ValueError(f"{tool.name!r} is not a name for a tool: use 1 to 64 of a-z, A-Z, 0-9, _ and -")
            if tool.name in tools or tool.name in self._tools:
                raise ValueError(f"there already is a tool {tool.name!r}: give each tool its own name")
            tools[tool.name] = tool
        text = package.tutorial()
        tutorials = [] if text is None else [(f"Tool Package {type(package).__name__}", ", ".join(tools), text)]
        self._teach(tutorials)
        self._tools.update(tools)
        self._tutorials += tutorials

    def tools(self) -> list[Tool]:
        """Returns all tools, in the order in which they were added."""
        return list(self._tools.values())

    def run(self, call: ToolCall) -> str:
        """Runs the tool of a call.

        Args:
            call: The call.

        Returns:
            The result as text. A result that is not text becomes JSON.

        Raises:
            UnknownToolError: The tool is unknown.
            CodecError: The result is neither text nor JSON.
            Exception: The error of the tool.
        """
        tool = self._tools.get(call.name)
        if tool is None:
            raise UnknownToolError(f"the tool is unknown; known tools: {', '.join(self._tools) or 'none'}")
        result = tool.run(copied(call.args, "args"))
        return str.__str__(result) if isinstance(result, str) else dumps(copied(result, "result"))

    def clear(self) -> None:
        """Removes all tools and their tutorials from this suite. The chat's prompt tree stays as it is."""
        self._tools.clear()
        self._tutorials.clear()

    def reset_tutorials(self) -> None:
        """Puts the tutorials of all packages into the chat's prompt tree again, for example after it was cleared."""
        self._teach(self._tutorials)

    def _teach(self, tutorials: Sequence[tuple[str, str, str]]) -> None:
        def put(root: PromptContainer) -> None:
            for title, names, text in tutorials:
                container = root.child(TUTORIALS).child(title, replace=True)
                container.prompt("Applicability", replace=True).set_content(names)
                container.prompt("Tutorial", replace=True).set_content(text)

        if self._chat is not None and tutorials:
            self._chat.prompt_store.update(put)
