"""What a chat is for, said rule by rule: prepare, record, react; what the service does with it is tested with the send.

The classes follow the life of a chat: its system prompt, the messages added to it, the queue beside it, starting over.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from types import SimpleNamespace
from typing import Any

import pytest
from messagelog import AgentMessage, CodecError, MessageLog, StoredMessage, ToolCall
from messagelog.chat import (
    Chat,
    ChatRole,
    HookMessageWriter,
    MessageQueue,
    Origin,
    Prompt,
    PromptContainer,
    Tool,
    ToolPackage,
    ToolSuite,
)
from messagelog.chat.memory import MemoryChatState
from messagelog.memory import MemoryStorage

NO_MESSAGES = SimpleNamespace(apply=lambda messages: [])


@pytest.fixture
def chat() -> Chat:
    return Chat(MessageLog(MemoryStorage()), MemoryChatState())


def said(messages: list[StoredMessage]) -> list[tuple[str, str]]:
    return [(message.role, message.content) for message in messages]


class WeatherPackage(ToolPackage):
    def tools(self) -> list[Tool]:
        return [Tool(name, "", {}, lambda args: "") for name in ("greet", "weather")]

    def tutorial(self) -> str | None:
        return "Use greet first."


class TestThreePurposes:
    def test_prepare_the_system_prompt_and_seeded_messages(self, chat: Chat) -> None:
        chat.system().child("general").prompt("persona").set_content("You are a pirate.")
        chat.user("Hello!")
        chat.assistant("Ahoy!")
        chat.tool("22", "call_1")
        assert chat.get_system() is not None
        assert said(chat.messages()) == [("user", "Hello!"), ("assistant", "Ahoy!"), ("tool", "22")]

    def test_record_what_the_agent_produced_and_read_it_back(self, chat: Chat) -> None:
        chat.add_all([AgentMessage("reasoning", "hm"), AgentMessage("assistant", "Ahoy!")])
        recorded = chat.messages()
        assert [(m.seq, m.role, m.origin) for m in recorded] == [(1, "reasoning", "model"), (2, "assistant", "model")]

    def test_react_to_messages_as_they_come(self, chat: Chat) -> None:
        seen: list[StoredMessage] = []
        chat.hook().message().do(seen.append)
        chat.user("Hello!")
        assert seen == chat.messages()


class TestSystemPrompt:
    def test_system_returns_the_root_of_a_tree_of_components(self, chat: Chat) -> None:
        root = chat.system()
        assert isinstance(root, PromptContainer)
        assert chat.system() is root
        root.add(Prompt("Persona", "You are a pirate."))
        root.child("general").prompt("rules").set_content("Be brief.")
        system = chat.get_system()
        assert system is not None
        assert system.content == "general\n    rules\n        Be brief.\nPersona\n    You are a pirate."

    def test_a_flat_text_bypasses_the_tree_which_is_still_there(self, chat: Chat) -> None:
        chat.system().add(Prompt("Persona", "You are a pirate."))
        chat.override_system("Flat.")
        system = chat.get_system()
        assert (system.role, system.content) == ("system", "Flat.") if system else False
        assert chat.system().compose() == "Persona\n    You are a pirate."
        chat.override_system(None)
        assert chat.get_system() is not None
        assert chat.get_system().content == "Persona\n    You are a pirate."  # type: ignore[union-attr]

    def test_general_and_tutorials_are_there_from_the_start(self, chat: Chat) -> None:
        assert [child["id"] for child in chat.system().to_json()["children"]] == ["general", "tutorials"]
        assert chat.system().child("general").title == "general"
        chat.system().child("tutorials").prompt("b").set_content("2")
        chat.system().child("general").prompt("a").set_content("1")
        assert chat.system().compose() == "general\n    a\n        1\ntutorials\n    b\n        2"

    def test_the_system_prompt_is_apart_from_the_messages(self, chat: Chat) -> None:
        chat.system().add(Prompt("Persona", "You are a pirate."))
        assert (chat.messages(), chat.log.count()) == ([], 0)

    def test_messages_are_user_assistant_tool_and_reasoning_only(self, chat: Chat) -> None:
        for role in ("system", "user", "assistant", "tool", "reasoning"):
            chat.log.append(AgentMessage(role, role))  # type: ignore[arg-type]
        assert [message.role for message in chat.messages()] == ["user", "assistant", "tool", "reasoning"]
        chat.handoff(NO_MESSAGES)
        assert [message.role for message in chat.historic_messages()] == ["user", "assistant", "tool", "reasoning"]

    @pytest.mark.parametrize("override", [None, "", " \n"])
    def test_get_system_is_none_when_neither_has_content(self, chat: Chat, override: str | None) -> None:
        persona = chat.system().child("general").prompt("persona")
        persona.set_content(" ")
        chat.override_system(override)
        assert chat.get_system() is None
        persona.set_content("You are a pirate.")
        assert chat.get_system() is not None
        assert chat.get_system().content == "general\n    persona\n        You are a pirate."  # type: ignore[union-attr]

    def test_each_message_has_the_time_it_was_created(self, chat: Chat) -> None:
        before = datetime.now(UTC)
        chat.system().add(Prompt("Persona", "You are a pirate."))
        chat.user("u")
        chat.assistant("a")
        chat.tool("t", "call_1")
        chat.reasoning("r")
        chat.add_all([{"role": "user", "content": "one of many"}])
        messages: list[Any] = [*chat.messages(), chat.get_system()]
        assert len(messages) == 6
        assert all(before <= message.created_at <= datetime.now(UTC) for message in messages)
        early = datetime(2026, 3, 1, tzinfo=UTC)
        chat.add_all([AgentMessage("user", "made before", created_at=early)])
        assert chat.messages()[-1].created_at == early

    def test_each_message_has_its_origin(self, chat: Chat) -> None:
        chat.system().add(Prompt("Persona", "You are a pirate."))
        chat.user("u")
        chat.assistant("a")
        chat.tool("t", "call_1")
        chat.reasoning("r")
        chat.add_all([AgentMessage("user", "h", origin="hook"), {"role": "user", "content": "u"}])
        assert [message.origin for message in chat.messages()] == ["user", "model", "tool", "model", "hook", "user"]
        system = chat.get_system()
        assert system is not None
        assert (system.role, system.origin) == (ChatRole.SYSTEM, Origin.SYSTEM)
        assert [*Origin] == ["user", "model", "tool", "hook", "system"]


class TestTutorialContainer:
    def test_a_package_with_a_tutorial_adds_applicability_and_tutorial_beside_general(self, chat: Chat) -> None:
        chat.system().child("general").prompt("persona").set_content("You are a pirate.\nSpeak so.")
        ToolSuite(chat).add(WeatherPackage())
        system = chat.get_system()
        assert system is not None
        assert system.content == (
            "general\n"
            "    persona\n"
            "        You are a pirate.\n"
            "        Speak so.\n"
            "tutorials\n"
            "    Tool Package WeatherPackage\n"
            "        Applicability\n"
            "            greet, weather\n"
            "        Tutorial\n"
            "            Use greet first."
        )


class TestAddingMessages:
    def test_seeded_replies_and_tool_calls_in_the_openai_shape(self, chat: Chat) -> None:
        call = {
            "id": "call_1",
            "type": "function",
            "function": {"name": "get_weather", "arguments": '{"city":"Berlin"}'},
        }
        chat.user("Hello!")
        chat.assistant("Let me check...", [call])
        chat.tool('{"temp":22}', "call_1")
        chat.assistant("It's 22°C.")
        _, asked, answered, _ = chat.messages()
        assert asked.tool_calls == (ToolCall("call_1", "get_weather", {"city": "Berlin"}),)
        assert (answered.content, answered.tool_call_id) == ('{"temp":22}', "call_1")
        assert [entry["role"] for entry in chat.log.to_openai()] == ["user", "assistant", "tool", "assistant"]


class TestDirectChat:
    @pytest.mark.parametrize(
        ("add", "role"),
        [
            (lambda chat: chat.user("x"), "user"),
            (lambda chat: chat.assistant("x"), "assistant"),
            (lambda chat: chat.tool("x", "call_1"), "tool"),
            (lambda chat: chat.reasoning("x"), "reasoning"),
            (lambda chat: chat.add_all([AgentMessage("user", "x")]), "user"),
        ],
    )
    def test_a_message_is_in_the_log_at_once_and_fires_its_hooks(
        self, chat: Chat, add: Callable[[Chat], int], role: str
    ) -> None:
        seen: list[tuple[str, int]] = []
        chat.hook().message(role).do(lambda message: seen.append((message.role, chat.log.count())))
        assert add(chat) == 1
        assert said(chat.messages()) == [(role, "x")]
        assert seen == [(role, 1)]

    def test_many_threads_add_and_each_hook_call_is_for_a_stored_message(self, chat: Chat) -> None:
        seen: list[int] = []
        chat.hook().message().do(lambda message: seen.append(message.seq))
        threads = [threading.Thread(target=lambda: [chat.user("x") for _ in range(10)]) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert sorted(seen) == [message.seq for message in chat.messages()] == list(range(1, 41))


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
    def test_clear_removes_messages_historic_ones_and_the_prompt_tree(self, chat: Chat) -> None:
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

    def test_a_prompt_from_before_the_clear_is_not_changed_in_silence(self, chat: Chat) -> None:
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
    def test_messages_and_historic_ones_go_and_the_system_prompt_and_hooks_stay(self, chat: Chat) -> None:
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


class TestSilentMode:
    def test_messages_are_added_and_hooks_do_not_fire_until_it_is_turned_off(self, chat: Chat) -> None:
        seen: list[str] = []
        chat.hook().message().do(lambda message: seen.append(message.content))
        chat.silent(True)
        chat.user("This won't trigger hooks")
        assert (seen, len(chat.messages())) == ([], 1)
        chat.silent(False)
        chat.user("This will trigger hooks")
        assert seen == ["This will trigger hooks"]


def test_a_system_message_is_no_message_of_a_chat(chat: Chat) -> None:
    with pytest.raises(CodecError, match=r"messages\[1\]\.role: .* chat\.system\(\)"):
        chat.add_all([AgentMessage("user", "fine"), AgentMessage("system", "not here")])
    assert chat.log.count() == 0
