"""The builder of hooks: it selects the events that call a hook."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from messagelog import ToolCall
from messagelog.chat import ChatRole
from messagelog.chat.hooks.builder import HookBuilder
from messagelog.chat.hooks.events import ToolEvent
from messagelog.chat.hooks.registry import Hooks
from messagelog.chat.providers import ToolCallDelta

from tests.support.hooks import Streamed, message


@pytest.mark.parametrize(
    ("begin", "match"),
    [
        (lambda builder: builder.message("narrator"), '"narrator" is not a known role; known are .*reasoning'),
        (lambda builder: builder.stream("chunks"), '"chunks" is not a known kind of stream event'),
        (lambda builder: builder.regex("("), "is not a regular expression"),
        (lambda builder: builder.message("user").before().do(print), r"before\(\) is for hooks on tools"),
        (lambda builder: builder.error().stream().do(print), r"error\(\) is for hooks on tools"),
        (lambda builder: builder.max_triggers(0), "1 or more"),
        (lambda builder: builder.max_triggers(-1), "1 or more"),
        (lambda builder: builder.max_triggers(True), "1 or more"),
        (lambda builder: builder.max_triggers(1.0), "1 or more"),
    ],
)
def test_a_wrong_hook_is_refused(begin: Callable[[HookBuilder], object], match: str) -> None:
    with pytest.raises(ValueError, match=match):
        begin(HookBuilder(Hooks()))


def test_a_builder_can_be_used_again() -> None:
    hooks, one, other = Hooks(), [], []
    users = HookBuilder(hooks).message("user").max_triggers(1)
    users.regex("a").do(one.append)
    users.do(other.append)
    for content in ("b", "a", "a"):
        hooks.emit_message(message(content))
    assert [each.content for each in one + other] == ["a", "b"]


def test_a_message_hook_is_called_for_its_roles_and_its_pattern() -> None:
    hooks, seen = Hooks(), []
    HookBuilder(hooks).message(ChatRole.USER, "tool").regex(r"\bhelp\b").do(seen.append)
    wanted = [message("please help", "user"), message("help\nme", "tool")]
    others = [message("helpful"), message("help", "assistant"), message("help", "reasoning")]
    for each in wanted + others:
        hooks.emit_message(each)
    assert seen == wanted


def test_a_message_hook_without_roles_gets_all_messages() -> None:
    hooks, seen = Hooks(), []
    HookBuilder(hooks).message().do(seen.append)
    for role in ("user", "assistant", "tool", "reasoning"):
        hooks.emit_message(message(role=role))
    assert len(seen) == 4


def test_a_stream_hook_is_called_for_its_kinds() -> None:
    hooks, seen, found = Hooks(), [], []
    HookBuilder(hooks).stream("content", "finish").do(seen.append)
    HookBuilder(hooks).stream().regex("secret").do(found.append)
    for kind in ("content", "reasoning", "tool_call", "finish"):
        hooks.emit_stream(Streamed(kind, f"secret {kind}"))  # type: ignore[arg-type]
        hooks.emit_stream(Streamed(kind))  # type: ignore[arg-type]
    assert [event.kind for event in seen] == ["content", "content", "finish", "finish"]
    assert [event.kind for event in found] == ["content", "reasoning", "tool_call", "finish"]


def test_a_stream_pattern_is_searched_in_pieces_of_arguments() -> None:
    hooks, seen = Hooks(), []
    HookBuilder(hooks).stream("tool_call").regex("Berlin").do(seen.append)
    pieces = [ToolCallDelta(0, "c1", "Berlin", ""), ToolCallDelta(0, "", "", '"Berlin"}')]
    for piece in pieces:
        hooks.emit_stream(piece)
    assert seen == pieces[1:]


def test_a_tool_hook_is_called_before_after_and_on_error() -> None:
    hooks, called, error = Hooks(), [], RuntimeError("no weather")
    call = ToolCall("t1", "weather", {"city": "Berlin"})
    HookBuilder(hooks).tool("weather").before().do(lambda event: called.append(("before", event)))
    HookBuilder(hooks).tool("weather").after().do(lambda event: called.append(("after", event)))
    HookBuilder(hooks).tool("weather").error().do(lambda event: called.append(("error", event)))
    HookBuilder(hooks).tool().do(lambda event: called.append(("any", event)))
    HookBuilder(hooks).tool("greet").do(lambda event: called.append(("greet", event)))
    hooks.emit_tool("before", call)
    hooks.emit_tool("after", call, "22")
    hooks.emit_tool("error", call, error)
    assert called == [
        ("before", ToolEvent("before", call)),
        ("any", ToolEvent("before", call)),
        ("after", ToolEvent("after", call, result="22")),
        ("any", ToolEvent("after", call, result="22")),
        ("error", ToolEvent("error", call, error=error)),
        ("any", ToolEvent("error", call, error=error)),
    ]


def test_a_tool_pattern_is_searched_in_args_result_and_error() -> None:
    hooks, phases = Hooks(), []
    HookBuilder(hooks).tool().regex("Berlin").do(lambda event: phases.append(event.phase))
    for city in ("Berlin", "Rome"):
        call = ToolCall("t1", "weather", {"city": city})
        hooks.emit_tool("before", call)
        hooks.emit_tool("after", ToolCall("t1", "weather", {}), f"22 in {city}")
        hooks.emit_tool("error", ToolCall("t1", "weather", {}), KeyError(city))
    assert phases == ["before", "after", "error"]


def test_a_hook_gets_only_events_of_its_target() -> None:
    hooks, seen = Hooks(), []
    HookBuilder(hooks).message().do(seen.append)
    hooks.emit_stream(Streamed("content"))
    hooks.emit_tool("before", ToolCall("t1", "f", {}))
    assert seen == []
