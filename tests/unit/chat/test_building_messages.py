"""The purposes of a chat: it prepares the system prompt, records messages, and calls hooks for them."""

from __future__ import annotations

import threading
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest
from messagelog import AgentMessage, CodecError, StoredMessage, ToolCall
from messagelog.chat import (
    Chat,
    ChatRole,
    Origin,
    Prompt,
    PromptContainer,
    ToolSuite,
)

from tests.support.building import NO_MESSAGES, WeatherPackage, said


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
    def test_a_tutorial_stands_beside_general(self, chat: Chat) -> None:
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

    def test_many_threads_add_and_hooks_get_stored_messages(self, chat: Chat) -> None:
        seen: list[int] = []
        chat.hook().message().do(lambda message: seen.append(message.seq))
        threads = [threading.Thread(target=lambda: [chat.user("x") for _ in range(10)]) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert sorted(seen) == [message.seq for message in chat.messages()] == list(range(1, 41))


class TestSilentMode:
    def test_in_silent_mode_messages_are_added_without_hooks(self, chat: Chat) -> None:
        seen: list[str] = []
        chat.hook().message().do(lambda message: seen.append(message.content))
        chat.silent(True)
        chat.user("This won't trigger hooks")
        assert (seen, len(chat.messages())) == ([], 1)
        chat.silent(False)
        chat.user("This will trigger hooks")
        assert seen == ["This will trigger hooks"]


def test_a_chat_refuses_a_system_message(chat: Chat) -> None:
    with pytest.raises(CodecError, match=r"messages\[1\]\.role: .* chat\.system\(\)"):
        chat.add_all([AgentMessage("user", "fine"), AgentMessage("system", "not here")])
    assert chat.log.count() == 0
