"""Tools and their packages: running them, their names, and their tutorials in the prompt tree."""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum, StrEnum
from pathlib import Path
from typing import Any

import pytest
from messagelog import CodecError, ToolCall
from messagelog.chat import Chat, Prompt, Tool, ToolPackage, ToolSuite
from messagelog.chat.memory import MemoryChatState
from messagelog.chat.sending.tools import UnknownToolError
from messagelog.memory import MemoryStorage
from messagelog.reply_limit import ROOM

from tests.support.chat_server import Reply
from tests.support.chats import Talk


def tool(name: str, run: Any = lambda args: "done") -> Tool:
    return Tool(name, f"What {name} does", {"type": "object"}, run)


class WeatherPackage(ToolPackage):
    def tools(self) -> Sequence[Tool]:
        return [tool("greet"), tool("weather", lambda args: {"temp": 22, "city": args["city"]})]

    def tutorial(self) -> str | None:
        return "Use greet first."


class Plain(ToolPackage):
    def __init__(self, *tools: Tool) -> None:
        self._tools = tools

    def tools(self) -> Sequence[Tool]:
        return self._tools


def chat() -> Chat:
    return Chat(MemoryStorage(), MemoryChatState())


def test_a_tool_gets_its_args_and_returns_text_or_json() -> None:
    suite = ToolSuite()
    suite.add(Plain(tool("text", lambda args: f"got {args}"), tool("json", lambda args: [args, None, 1.0, "ä"])))
    assert suite.run(ToolCall("t1", "text", {"q": 1})) == "got {'q': 1}"
    assert suite.run(ToolCall("t1", "text", "no JSON")) == "got no JSON"
    assert suite.run(ToolCall("t1", "json", {})) == '[{},null,1.0,"ä"]'
    assert [each.name for each in suite.tools()] == ["text", "json"]


def test_a_tool_by_itself_is_refused() -> None:
    suite: Any = ToolSuite()
    with pytest.raises(TypeError, match="a ToolPackage, not a Tool"):
        suite.add(tool("alone"))


def test_the_error_of_a_tool_reaches_the_caller() -> None:
    suite = ToolSuite()
    suite.add(Plain(tool("divide", lambda args: 1 / 0), tool("odd", lambda args: {"a": float("nan")})))
    with pytest.raises(ZeroDivisionError):
        suite.run(ToolCall("t1", "divide", {}))
    with pytest.raises(CodecError, match=r"result\.a: is not a finite number"):
        suite.run(ToolCall("t1", "odd", {}))


def test_an_unknown_tool_is_an_error_that_names_the_known() -> None:
    suite = ToolSuite()
    with pytest.raises(UnknownToolError, match="known tools: none"):
        suite.run(ToolCall("t1", "weather", {}))
    suite.add(WeatherPackage())
    with pytest.raises(LookupError, match="known tools: greet, weather"):
        suite.run(ToolCall("t1", "rain", {}))


def test_a_tool_cannot_change_the_call() -> None:
    suite, args = ToolSuite(), {"q": ["x"]}
    suite.add(Plain(tool("spoil", lambda args: args["q"].clear())))
    suite.run(ToolCall("t1", "spoil", args))  # type: ignore[arg-type]
    assert args == {"q": ["x"]}


@pytest.mark.parametrize("name", ["", "two words", "x" * 65, "a.b", "ä", "a\n"])
def test_a_name_that_providers_refuse_is_refused(name: str) -> None:
    suite = ToolSuite()
    with pytest.raises(ValueError, match="is not a name for a tool"):
        suite.add(Plain(tool("good"), tool(name)))
    assert suite.tools() == []


def test_a_name_is_given_once() -> None:
    suite = ToolSuite(chat())
    suite.add(Plain(tool("a")))
    for package in (Plain(tool("b"), tool("a")), Plain(tool("b"), tool("b"))):
        with pytest.raises(ValueError, match="already"):
            suite.add(package)
    assert [each.name for each in suite.tools()] == ["a"]


def test_a_tutorial_stands_under_tutorials() -> None:
    talk = chat()
    ToolSuite(talk).add(WeatherPackage())
    assert talk.system().child("tutorials").compose() == (
        "tutorials\n"
        "    Tool Package WeatherPackage\n"
        "        Applicability\n"
        "            greet, weather\n"
        "        Tutorial\n"
        "            Use greet first."
    )


def test_a_package_without_a_tutorial_adds_none() -> None:
    talk = chat()
    ToolSuite(talk).add(Plain(tool("a")))
    assert talk.system().child("tutorials").to_json()["children"] == []


def test_an_unchanged_tutorial_is_not_written_again() -> None:
    talk = chat()
    for _ in range(3):
        ToolSuite(talk).add(WeatherPackage())
    assert talk.system().compose().count("Use greet first.") == 1
    assert talk.prompt_store.version == 1


def test_a_tutorial_replaces_the_other_kind() -> None:
    talk = chat()
    ToolSuite(talk).add(WeatherPackage())
    before, tutorials = talk.system().compose(), talk.system().child("tutorials")
    tutorials.prompt("Tool Package WeatherPackage", replace=True).set_content("x")
    ToolSuite(talk).add(WeatherPackage())
    assert talk.system().compose() == before
    for id in ("Applicability", "Tutorial"):
        tutorials.child("Tool Package WeatherPackage").child(id, replace=True).prompt("inside").set_content("x")
        ToolSuite(talk).add(WeatherPackage())
        assert talk.system().compose() == before


def test_a_package_with_a_bad_tutorial_adds_nothing() -> None:
    class Odd(WeatherPackage):
        def tutorial(self) -> Any:
            return 7

    talk = chat()
    suite = ToolSuite(talk)
    with pytest.raises(CodecError):
        suite.add(Odd())
    assert suite.tools() == []
    suite.add(WeatherPackage())
    suite.reset_tutorials()
    assert "Odd" not in talk.system().compose()


def test_a_result_of_a_subclass_of_str_is_its_plain_text() -> None:
    class Mood(StrEnum):
        MERRY = "merry"

    class Colour(str, Enum):  # noqa: UP042 (its str() is not its text)
        RED = "red"

    suite = ToolSuite()
    suite.add(Plain(tool("mood", lambda args: Mood.MERRY), tool("colour", lambda args: Colour.RED)))
    for name, text in (("mood", "merry"), ("colour", "red")):
        result = suite.run(ToolCall("t1", name, {}))
        assert (type(result), result) == (str, text)


def test_reset_tutorials_puts_them_back_after_a_clear() -> None:
    talk = chat()
    suite = ToolSuite(talk)
    suite.add(WeatherPackage())
    before = talk.system().compose()
    talk.clear()
    assert talk.get_system() is None
    suite.reset_tutorials()
    assert talk.system().compose() == before
    suite.clear()
    talk.clear()
    suite.reset_tutorials()
    assert (talk.get_system(), suite.tools()) == (None, [])


def test_a_full_prompt_tree_leaves_out_a_tutorial(caplog: pytest.LogCaptureFixture) -> None:
    talk = chat()
    talk.system().add(Prompt("full", "x" * (ROOM - 200)))
    before, suite = talk.system().compose(), ToolSuite(talk)
    suite.add(WeatherPackage())
    suite.reset_tutorials()
    assert [each.name for each in suite.tools()] == ["greet", "weather"]
    assert talk.system().compose() == before
    assert caplog.text.count("prompts left out") == 2


def test_a_full_prompt_tree_fails_no_turn(talk: Talk, tmp_path: Path) -> None:
    """Neither its unchanged prompt files and tutorials are written again, nor do new ones fail the send."""
    (tmp_path / "persona.md").write_text("You are a pirate.")
    service = talk.service(system_prompt_dir=tmp_path)
    service.tools().add(WeatherPackage())
    service.load_prompt_files()
    service.chat().system().add(Prompt("full", "x" * 4_700_000))
    version = talk.state.system().version
    (tmp_path / "more.md").write_text("y" * 200_000)
    talk.server.script(Reply("Ahoy!"))
    later = talk.service(system_prompt_dir=tmp_path)
    later.tools().add(WeatherPackage())
    later.reset_tutorials()
    later.send("hello")
    assert (talk.said()[-1], talk.state.system().version) == (("assistant", "Ahoy!"), version)
