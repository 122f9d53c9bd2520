"""The registry of hooks: their order, how often they are called, and what happens when one raises."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import pytest
from messagelog import ToolCall
from messagelog.chat.hooks.builder import HookBuilder
from messagelog.chat.hooks.events import ToolEvent
from messagelog.chat.hooks.registry import Hooks, Selection

from tests.support.hooks import Streamed, message


def test_hooks_are_called_in_order_of_registration() -> None:
    hooks, called = Hooks(), ""

    def append(name: str) -> Callable[[Any], None]:
        def callback(_: Any) -> None:
            nonlocal called
            called += name

        return callback

    for name in "cab":
        HookBuilder(hooks).message().do(append(name))
    hooks.emit_message(message())
    assert called == "cab"


def test_max_triggers_limits_the_calls() -> None:
    hooks, seen = Hooks(), []
    HookBuilder(hooks).message().regex("help").max_triggers(2).do(seen.append)
    for content in ("help 1", "other", "help 2", "help 3"):
        hooks.emit_message(message(content))
    assert [each.content for each in seen] == ["help 1", "help 2"]


def test_a_used_up_hook_leaves_the_registry() -> None:
    hooks, seen = Hooks(), []
    for limit in range(1, 101):
        HookBuilder(hooks).message().max_triggers(limit).do(seen.append)
    stays = HookBuilder(hooks).message().do(lambda _: None)
    for emitted in range(1, 101):
        hooks.emit_message(message())
        assert len(hooks) == 101 - emitted
    assert len(seen) == sum(range(1, 101))
    stays.dispose()
    assert len(hooks) == 0


def test_a_hook_may_be_called_again_from_its_callback() -> None:
    hooks, seen = Hooks(), []

    def callback(event: Any) -> None:
        seen.append(event)
        hooks.emit_message(message())

    HookBuilder(hooks).message().max_triggers(3).do(callback)
    hooks.emit_message(message())
    assert (len(seen), len(hooks)) == (3, 0)


def test_max_triggers_limits_the_calls_of_many_threads() -> None:
    hooks, seen = Hooks(), []
    HookBuilder(hooks).message().max_triggers(5).do(seen.append)
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


def test_a_disposed_hook_is_not_called() -> None:
    hooks, seen, others = Hooks(), [], []
    hook = HookBuilder(hooks).message().do(seen.append)
    HookBuilder(hooks).message().do(others.append)
    hook.dispose()
    hook.dispose()
    hooks.emit_message(message())
    assert (len(seen), len(others)) == (0, 1)


def test_a_callback_may_dispose_and_register_hooks() -> None:
    hooks, called = Hooks(), []

    def once(_: Any) -> None:
        called.append("once")
        hook.dispose()
        HookBuilder(hooks).message().do(lambda _: called.append("new"))

    hook = HookBuilder(hooks).message().do(once)
    HookBuilder(hooks).message().do(lambda _: called.append("other"))
    hooks.emit_message(message())
    hooks.emit_message(message())
    assert called == ["once", "other", "other", "new"]


def test_after_a_callback_raises_the_others_are_called() -> None:
    hooks, seen = Hooks(), []

    def failing(name: str) -> Callable[[Any], None]:
        def fail(_: Any) -> None:
            raise RuntimeError(name)

        return fail

    for name in ("first", "second"):
        HookBuilder(hooks).message().do(failing(name))
        HookBuilder(hooks).message().do(seen.append)
    with pytest.raises(RuntimeError, match="first"):
        hooks.emit_message(message())
    assert len(seen) == 2


def test_after_a_pattern_fails_the_others_are_called(monkeypatch: pytest.MonkeyPatch) -> None:
    hooks, seen = Hooks(), []
    HookBuilder(hooks).message().regex("hi").do(seen.append)
    HookBuilder(hooks).message().do(seen.append)

    def matches(selection: Selection, event: Any) -> bool:
        if selection.pattern:
            raise RecursionError("too deep")
        return True

    monkeypatch.setattr(Selection, "matches", matches)
    with pytest.raises(RecursionError):
        hooks.emit_message(message())
    assert len(seen) == 1


def test_silent_leaves_out_message_hooks_only() -> None:
    hooks, seen = Hooks(), []
    for builder in (
        HookBuilder(hooks).message().max_triggers(1),
        HookBuilder(hooks).stream(),
        HookBuilder(hooks).tool(),
    ):
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
    HookBuilder(hooks).message().do(seen.append)
    HookBuilder(hooks).stream().do(seen.append)
    HookBuilder(hooks).tool().do(seen.append)
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


def test_a_callback_gets_its_own_copy_of_the_args() -> None:
    hooks, seen = Hooks(), []

    def spoil(event: Any) -> None:
        call = event.call if isinstance(event, ToolEvent) else event.tool_calls[0]
        seen.append(dict(call.args))
        call.args.update(q="HOOK")

    for builder in (HookBuilder(hooks).message(), HookBuilder(hooks).tool()):
        builder.do(spoil)
        builder.do(spoil)
    call = ToolCall("t1", "f", {"q": "x"})
    hooks.emit_message(message(role="assistant", calls=(call,)))
    hooks.emit_tool("before", call)
    assert seen == [{"q": "x"}] * 4
    assert call.args == {"q": "x"}
