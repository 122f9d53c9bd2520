"""Hooks: which events call them, in what order, how often, and what happens when one raises."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import pytest
from messagelog import StoredMessage, ToolCall
from messagelog.chat import ChatRole
from messagelog.chat.hooks.hooks import HookBuilder, Hooks, StreamKind, ToolEvent
from messagelog.chat.providers import ToolCallDelta


@dataclass(frozen=True)
class Streamed:
    kind: StreamKind
    text: str = ""


def message(content: str = "hi", role: Any = "user", seq: int = 1, calls: tuple[ToolCall, ...] = ()) -> StoredMessage:
    return StoredMessage(role=role, content=content, seq=seq, at=datetime.now(UTC), tool_calls=calls)


def build(hooks: Hooks) -> HookBuilder:
    return HookBuilder(hooks)


def test_hooks_are_called_in_the_order_they_were_registered() -> None:
    hooks, called = Hooks(), ""

    def append(name: str) -> Callable[[Any], None]:
        def callback(_: Any) -> None:
            nonlocal called
            called += name

        return callback

    for name in "cab":
        build(hooks).message().do(append(name))
    hooks.emit_message(message())
    assert called == "cab"


def test_a_message_hook_is_called_for_its_roles_and_its_pattern() -> None:
    hooks, seen = Hooks(), []
    build(hooks).message(ChatRole.USER, "tool").regex(r"\bhelp\b").do(seen.append)
    wanted = [message("please help", "user"), message("help\nme", "tool")]
    others = [message("helpful"), message("help", "assistant"), message("help", "reasoning")]
    for each in wanted + others:
        hooks.emit_message(each)
    assert seen == wanted


def test_without_roles_it_is_for_all_of_them() -> None:
    hooks, seen = Hooks(), []
    build(hooks).message().do(seen.append)
    for role in ("user", "assistant", "tool", "reasoning"):
        hooks.emit_message(message(role=role))
    assert len(seen) == 4


def test_a_stream_hook_is_called_for_its_kinds() -> None:
    hooks, seen, found = Hooks(), [], []
    build(hooks).stream("content", "finish").do(seen.append)
    build(hooks).stream().regex("secret").do(found.append)
    for kind in ("content", "reasoning", "tool_call", "finish"):
        hooks.emit_stream(Streamed(kind, f"secret {kind}"))  # type: ignore[arg-type]
        hooks.emit_stream(Streamed(kind))  # type: ignore[arg-type]
    assert [event.kind for event in seen] == ["content", "content", "finish", "finish"]
    assert [event.kind for event in found] == ["content", "reasoning", "tool_call", "finish"]


def test_the_pattern_of_a_stream_hook_is_looked_for_in_the_pieces_of_a_call() -> None:
    hooks, seen = Hooks(), []
    build(hooks).stream("tool_call").regex("Berlin").do(seen.append)
    pieces = [ToolCallDelta(0, "c1", "Berlin", ""), ToolCallDelta(0, "", "", '"Berlin"}')]
    for piece in pieces:
        hooks.emit_stream(piece)
    assert seen == pieces[1:]


def test_a_tool_hook_is_called_before_after_and_on_error() -> None:
    hooks, called, error = Hooks(), [], RuntimeError("no weather")
    call = ToolCall("t1", "weather", {"city": "Berlin"})
    build(hooks).tool("weather").before().do(lambda event: called.append(("before", event)))
    build(hooks).tool("weather").after().do(lambda event: called.append(("after", event)))
    build(hooks).tool("weather").error().do(lambda event: called.append(("error", event)))
    build(hooks).tool().do(lambda event: called.append(("any", event)))
    build(hooks).tool("greet").do(lambda event: called.append(("greet", event)))
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


def test_the_pattern_of_a_tool_hook_is_looked_for_in_args_result_and_error() -> None:
    hooks, phases = Hooks(), []
    build(hooks).tool().regex("Berlin").do(lambda event: phases.append(event.phase))
    for city in ("Berlin", "Rome"):
        call = ToolCall("t1", "weather", {"city": city})
        hooks.emit_tool("before", call)
        hooks.emit_tool("after", ToolCall("t1", "weather", {}), f"22 in {city}")
        hooks.emit_tool("error", ToolCall("t1", "weather", {}), KeyError(city))
    assert phases == ["before", "after", "error"]


def test_each_target_has_its_own_events() -> None:
    hooks, seen = Hooks(), []
    build(hooks).message().do(seen.append)
    hooks.emit_stream(Streamed("content"))
    hooks.emit_tool("before", ToolCall("t1", "f", {}))
    assert seen == []


def test_it_is_called_so_often_and_no_more() -> None:
    hooks, seen = Hooks(), []
    build(hooks).message().regex("help").max_triggers(2).do(seen.append)
    for content in ("help 1", "other", "help 2", "help 3"):
        hooks.emit_message(message(content))
    assert [each.content for each in seen] == ["help 1", "help 2"]


def test_it_is_called_so_often_by_many_threads() -> None:
    hooks, seen = Hooks(), []
    build(hooks).message().max_triggers(5).do(seen.append)
    start = threading.Barrier(8)

    def emit() -> None:
        start.wait()
        for _ in range(10):
            hooks.emit_message(message())

    threads = [threading.Thread(target=emit) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(seen) == 5


def test_a_hook_that_was_disposed_of_is_not_called() -> None:
    hooks, seen, others = Hooks(), [], []
    hook = build(hooks).message().do(seen.append)
    build(hooks).message().do(others.append)
    hook.dispose()
    hook.dispose()
    hooks.emit_message(message())
    assert (len(seen), len(others)) == (0, 1)


def test_a_callback_may_dispose_and_register_hooks() -> None:
    hooks, called = Hooks(), []

    def once(_: Any) -> None:
        called.append("once")
        hook.dispose()
        build(hooks).message().do(lambda _: called.append("new"))

    hook = build(hooks).message().do(once)
    build(hooks).message().do(lambda _: called.append("other"))
    hooks.emit_message(message())
    hooks.emit_message(message())
    assert called == ["once", "other", "other", "new"]


def test_a_callback_that_raises_stops_no_other_and_is_told_of() -> None:
    hooks, seen = Hooks(), []

    def failing(name: str) -> Callable[[Any], None]:
        def fail(_: Any) -> None:
            raise RuntimeError(name)

        return fail

    for name in ("first", "second"):
        build(hooks).message().do(failing(name))
        build(hooks).message().do(seen.append)
    with pytest.raises(RuntimeError, match="first"):
        hooks.emit_message(message())
    assert len(seen) == 2


def test_a_pattern_that_cannot_be_looked_for_stops_no_other(monkeypatch: pytest.MonkeyPatch) -> None:
    hooks, seen = Hooks(), []
    build(hooks).message().regex("hi").do(seen.append)
    build(hooks).message().do(seen.append)

    def matches(builder: HookBuilder, event: Any) -> bool:
        if builder.pattern:
            raise RecursionError("too deep")
        return True

    monkeypatch.setattr(HookBuilder, "matches", matches)
    with pytest.raises(RecursionError):
        hooks.emit_message(message())
    assert len(seen) == 1


def test_silence_is_for_messages_only() -> None:
    hooks, seen = Hooks(), []
    for builder in (build(hooks).message().max_triggers(1), build(hooks).stream(), build(hooks).tool()):
        builder.do(seen.append)
    hooks.silent = True
    hooks.emit_message(message())
    assert seen == []
    hooks.emit_stream(Streamed("finish"))
    hooks.emit_tool("before", ToolCall("t1", "f", {}))
    assert len(seen) == 2
    hooks.silent = False
    hooks.emit_message(message())
    assert len(seen) == 3


def test_clear_ends_the_hooks_of_one_target_or_all() -> None:
    hooks, seen = Hooks(), []
    build(hooks).message().do(seen.append)
    build(hooks).stream().do(seen.append)
    build(hooks).tool().do(seen.append)
    hooks.clear("chat")
    hooks.emit_message(message())
    assert seen == []
    hooks.emit_stream(Streamed("finish"))
    hooks.emit_tool("before", ToolCall("t1", "f", {}))
    assert len(seen) == 2
    hooks.clear()
    hooks.emit_stream(Streamed("finish"))
    hooks.emit_tool("before", ToolCall("t1", "f", {}))
    assert len(seen) == 2


def test_what_a_callback_does_to_args_nobody_else_sees() -> None:
    hooks, seen = Hooks(), []

    def spoil(event: Any) -> None:
        call = event.call if isinstance(event, ToolEvent) else event.tool_calls[0]
        seen.append(dict(call.args))
        call.args.update(q="HOOK")

    for builder in (build(hooks).message(), build(hooks).tool()):
        builder.do(spoil)
        builder.do(spoil)
    call = ToolCall("t1", "f", {"q": "x"})
    hooks.emit_message(message(role="assistant", calls=(call,)))
    hooks.emit_tool("before", call)
    assert seen == [{"q": "x"}] * 4
    assert call.args == {"q": "x"}


@pytest.mark.parametrize(
    ("begin", "match"),
    [
        (lambda builder: builder.message("narrator"), '"narrator" is no role; known are .*reasoning'),
        (lambda builder: builder.stream("chunks"), '"chunks" is no kind of stream event'),
        (lambda builder: builder.regex("("), "is no regular expression"),
        (lambda builder: builder.message("user").before().do(print), r"before\(\) is for hooks on tools"),
        (lambda builder: builder.error().stream().do(print), r"error\(\) is for hooks on tools"),
        (lambda builder: builder.max_triggers(0), "1 or more"),
        (lambda builder: builder.max_triggers(-1), "1 or more"),
        (lambda builder: builder.max_triggers(True), "1 or more"),
        (lambda builder: builder.max_triggers(1.0), "1 or more"),
    ],
)
def test_what_makes_no_hook_is_refused(begin: Callable[[HookBuilder], object], match: str) -> None:
    with pytest.raises(ValueError, match=match):
        begin(HookBuilder(Hooks()))


def test_a_builder_can_be_used_again() -> None:
    hooks, one, other = Hooks(), [], []
    users = build(hooks).message("user").max_triggers(1)
    users.regex("a").do(one.append)
    users.do(other.append)
    for content in ("b", "a", "a"):
        hooks.emit_message(message(content))
    assert [each.content for each in one + other] == ["a", "b"]
