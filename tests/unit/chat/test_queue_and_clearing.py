"""The queue beside a chat, and the chat after it was cleared."""

from __future__ import annotations

import threading
from collections.abc import Callable
from datetime import timedelta

import pytest
from messagelog import StoredMessage
from messagelog.chat import (
    Chat,
    ChatRole,
    HookMessageWriter,
    MessageQueue,
    Origin,
    Prompt,
    PromptContainer,
    ToolSuite,
)

from tests.support.building import NO_MESSAGES, WeatherPackage, said


class TestMessageQueue:
    def test_queueing_fires_no_hook_and_adds_nothing(self, chat: Chat) -> None:
        seen: list[StoredMessage] = []
        chat.hook().message().do(seen.append)
        MessageQueue(chat.state).user("later")
        assert (seen, chat.messages(), chat.log.count()) == ([], [], 0)

    def test_the_four_ways_of_adding_are_those_of_queueing(self, chat: Chat) -> None:
        queue = MessageQueue(chat.state)
        queue.user("u")
        queue.assistant("a")
        queue.tool("t", "call_1")
        queue.reasoning("r")
        staged = [(each.message.role, each.message.content) for each in chat.state.staged(limit=9)]
        assert staged == [("user", "u"), ("assistant", "a"), ("tool", "t"), ("reasoning", "r")]

    def test_queueing_does_not_wait_for_a_send(self, chat: Chat) -> None:
        chat.state.acquire("a send", seconds=600)
        queue = MessageQueue(chat.state)
        queue.user("while it runs")
        queue.tool("result", "call_1")
        assert [each.message.content for each in chat.state.staged(limit=9)] == ["while it runs", "result"]

    def test_concurrent_producers_lose_nothing_and_keep_their_order(self, chat: Chat) -> None:
        queue = MessageQueue(chat.state)

        def produce(name: str) -> None:
            for number in range(20):
                queue.user(f"{name} {number:02}")

        threads = [threading.Thread(target=produce, args=(name,)) for name in "abcd"]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        queued = [each.message.content for each in chat.state.staged(limit=1000)]
        assert sorted(queued) == [f"{name} {number:02}" for name in "abcd" for number in range(20)]
        for name in "abcd":
            mine = [content for content in queued if content.startswith(name)]
            assert mine == sorted(mine)

    def test_a_queued_message_has_the_time_it_was_queued(self, chat: Chat) -> None:
        MessageQueue(chat.state).user("later")
        (staged,) = chat.state.staged(limit=9)
        (stored,) = chat.record([staged.message], chat.state.unstaging([staged]))
        assert stored.created_at == staged.message.created_at
        assert stored.created_at is not None
        assert timedelta(0) <= stored.at - stored.created_at

    def test_hooks_fire_when_the_queue_is_drained(self, chat: Chat) -> None:
        seen: list[str] = []
        chat.hook().message("user").do(lambda message: seen.append(message.content))
        MessageQueue(chat.state).user("later")
        staged = chat.state.staged(limit=9)
        chat.tell(chat.record([each.message for each in staged], chat.state.unstaging(staged)))
        assert seen == ["later"]
        assert chat.state.staged(limit=9) == []

    def test_the_hook_writer_is_the_same_queue_with_an_origin(self, chat: Chat) -> None:
        queue = MessageQueue(chat.state)
        queue.user("mine")
        HookMessageWriter(queue).user("of a hook", Origin.HOOK)
        staged = [(each.message.content, each.message.origin) for each in chat.state.staged(limit=9)]
        assert staged == [("mine", "user"), ("of a hook", "hook")]


class TestClearing:
    def test_clear_removes_all_messages_and_the_prompt_tree(self, chat: Chat) -> None:
        chat.system().child("general").prompt("persona").set_content("You are a pirate.")
        chat.user("Hello!")
        chat.handoff(NO_MESSAGES)
        chat.user("Hello again!")
        chat.clear()
        assert (chat.messages(), chat.historic_messages(), chat.get_system()) == ([], [], None)

    def test_the_same_root_stays_with_no_children_and_no_title(self, chat: Chat) -> None:
        root = chat.system()
        root.set_title("All")
        root.prompt("made")
        root.add(Prompt("Persona", "You are a pirate."))
        chat.clear()
        assert root.to_json() == PromptContainer(standard=("general", "tutorials")).to_json()
        assert chat.system() is root
        root.child("general").prompt("persona").set_content("You are a cook.")
        assert chat.get_system() is not None

    def test_a_change_of_a_prompt_from_before_a_clear_is_refused(self, chat: Chat) -> None:
        persona = chat.system().child("general").prompt("persona")
        persona.set_content("You are a pirate.")
        chat.clear()
        with pytest.raises(ValueError, match="get the component in its place"):
            persona.set_content("You are a cook.")
        chat.system().child("general").prompt("persona").set_content("You are a cook.")
        assert "cook" in chat.get_system().content  # type: ignore[union-attr]

    def test_clear_ends_message_hooks(self, chat: Chat) -> None:
        seen: list[StoredMessage] = []
        chat.hook().message(ChatRole.USER).do(seen.append)
        chat.clear()
        chat.user("Hello!")
        assert seen == []

    @pytest.mark.parametrize("clear", [lambda chat: chat.clear(True), lambda chat: chat.clear(retain_hooks=True)])
    def test_hooks_survive_when_they_are_retained(self, chat: Chat, clear: Callable[[Chat], None]) -> None:
        seen: list[StoredMessage] = []
        chat.hook().message(ChatRole.USER).do(seen.append)
        clear(chat)
        chat.user("Hello!")
        assert len(seen) == 1

    def test_nothing_is_deleted_from_the_log(self, chat: Chat) -> None:
        chat.user("Hello!")
        chat.clear()
        assert chat.user("Hello again!") == 2
        assert said(chat.log.all()) == [("user", "Hello!"), ("user", "Hello again!")]
        assert said(chat.messages()) == [("user", "Hello again!")]

    def test_tutorials_are_put_back_by_reset_tutorials(self, chat: Chat) -> None:
        suite = ToolSuite(chat)
        suite.add(WeatherPackage())
        chat.clear()
        assert chat.get_system() is None
        suite.reset_tutorials()
        assert "Use greet first." in chat.system().child("tutorials").compose()


class TestClearingMessagesOnly:
    def test_messages_go_and_system_prompt_and_hooks_stay(self, chat: Chat) -> None:
        seen: list[StoredMessage] = []
        chat.system().add(Prompt("Persona", "You are a pirate."))
        chat.hook().message().do(seen.append)
        chat.user("Hello!")
        chat.handoff(NO_MESSAGES)
        assert said(chat.historic_messages()) == [("user", "Hello!")]
        chat.user("Hello again!")
        chat.clear_messages()
        assert (chat.messages(), chat.historic_messages()) == ([], [])
        assert chat.get_system() is not None
        chat.user("Once more!")
        assert len(seen) == 3
