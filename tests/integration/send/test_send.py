"""A send: what the model is asked, and what is recorded of it."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from messagelog import AgentMessage, CodecError, MessageLog
from messagelog.chat import ChatConfig
from messagelog.chat.sending.request import CONTINUE

from tests.support.chat_server import Reply
from tests.support.chats import Talk, said

ANSWERED = [("user", "Hello!"), ("assistant", "Ahoy!")]


def test_a_send_records_what_the_agent_said(talk: Talk) -> None:
    talk.server.script(Reply("Ahoy!", thinking="A greeting."))
    service = talk.service()
    service.send("Hello!")
    messages = service.chat().messages()
    assert said(messages) == [("user", "Hello!"), ("reasoning", "A greeting."), ("assistant", "Ahoy!")]
    assert [message.origin for message in messages] == ["user", "model", "model"]


def test_a_send_returns_what_it_added(talk: Talk) -> None:
    service = talk.service()
    service.chat().user("before")
    service.queue().user("queued")
    talk.server.script(Reply("Ahoy!"))
    assert service.send("Hello!") == talk.log()[1:]


def test_every_message_has_the_time_when_it_was_made(talk: Talk) -> None:
    start = datetime.now(UTC)
    talk.server.script(Reply("Ahoy!", thinking="Hm."))
    talk.service().send("Hello!")
    times = [message.created_at or start for message in talk.log()]
    assert start < min(times)
    assert times == sorted(times)
    assert max(times) <= datetime.now(UTC)


def test_a_history_that_was_built_is_sent(talk: Talk) -> None:
    """The example of a chat that is prepared before it is sent, with a fake tool call."""
    service = talk.service()
    chat = service.chat()
    chat.system().child("general").prompt("persona").set_content("You are a pirate.")
    chat.user("Hello!")
    function = {"name": "get_weather", "arguments": '{"city":"Berlin"}'}
    chat.assistant("Let me check...", [{"id": "call_1", "type": "function", "function": function}])
    chat.tool('{"temp":22}', "call_1")
    chat.assistant("It's 22°C.")
    talk.server.script(Reply("Arr!"))
    service.send()
    assert talk.server.last_request["messages"] == [
        {"role": "system", "content": "general\n    persona\n        You are a pirate."},
        {"role": "user", "content": "Hello!"},
        {
            "role": "assistant",
            "content": "Let me check...",
            "tool_calls": [
                {
                    "id": "call_1",
                    "type": "function",
                    "function": {"name": "get_weather", "arguments": '{"city": "Berlin"}'},
                }
            ],
        },
        {"role": "tool", "tool_call_id": "call_1", "content": '{"temp":22}'},
        {"role": "assistant", "content": "It's 22°C."},
        {"role": "user", "content": CONTINUE},
    ]


def test_the_system_prompt_is_in_requests_and_not_in_the_log(talk: Talk) -> None:
    service = talk.service()
    general = service.chat().system().child("general")
    general.prompt("one").set_content("P1")
    general.child("deep").prompt("two").set_content("P2")
    prompt = "general\n    one\n        P1\n    deep\n        two\n            P2"
    for text in "abc":
        talk.server.script(Reply(f"r{text}"))
        service.send(text)
        assert talk.asked()[0] == ("system", prompt)
        assert [role for role, _ in talk.asked()].count("system") == 1
    assert [content for _, content in talk.said()] == ["a", "ra", "b", "rb", "c", "rc"]


def test_a_changed_prompt_changes_the_next_request_only(talk: Talk) -> None:
    service = talk.service()
    prompt = service.chat().system().child("general").prompt("mood")
    for mood in ("merry", "grim"):
        prompt.set_content(mood)
        talk.server.script(Reply("x"))
        service.send("y")
        assert mood in talk.asked()[0][1]
    assert talk.said() == [("user", "y"), ("assistant", "x")] * 2


def test_a_prompt_changed_elsewhere_is_in_the_next_request(talk: Talk) -> None:
    service, other = talk.service(), talk.chat()
    talk.server.script(Reply("a", before_end=lambda: other.system().prompt("mood").set_content("grim")), Reply("b"))
    service.send("1")
    service.send("2")
    assert talk.asked(0)[0][0] == "user"
    assert talk.asked(1)[0] == ("system", "mood\n    grim")


def test_without_a_prompt_no_system_message_is_sent(talk: Talk) -> None:
    talk.server.script(Reply("Ahoy!"))
    talk.service().send("Hello!")
    assert talk.asked() == [("user", "Hello!")]


def test_a_flat_prompt_replaces_the_tree_which_is_still_there(talk: Talk) -> None:
    service = talk.service(system_prompt="Be brief.")
    service.chat().system().child("general").prompt("persona").set_content("You are a pirate.")
    talk.server.script(Reply("Ahoy!"))
    service.send("Hello!")
    assert talk.asked()[0] == ("system", "Be brief.")
    system = service.chat().get_system()
    assert system
    assert (system.role, system.origin, system.content) == ("system", "system", "Be brief.")
    assert "pirate" in service.chat().system().compose()


@pytest.mark.parametrize("flat", [None, ""])
def test_a_flat_prompt_that_is_empty_is_none(talk: Talk, flat: str | None) -> None:
    service = talk.service(system_prompt=flat)
    assert service.chat().get_system() is None
    service.chat().system().prompt("p").set_content("x")
    assert service.chat().get_system() is not None


def test_nothing_before_the_window_is_sent(talk: Talk) -> None:
    service = talk.service()
    talk.server.script(Reply("old answer"), Reply("b"), Reply("c"))
    service.send("old question")
    service.chat().clear_messages()
    service.send("new question")
    assert talk.asked() == [("user", "new question")]
    service.chat().handoff(_Summary())
    service.send("and then?")
    assert talk.asked() == [("user", "So far: new question"), ("user", "and then?")]
    assert len(talk.log()) == 7


class _Summary:
    def apply(self, messages: list[object]) -> list[AgentMessage]:
        return [AgentMessage("user", f"So far: {getattr(messages[0], 'content')}")]  # noqa: B009


def test_system_messages_of_the_log_are_not_in_the_chat(talk: Talk) -> None:
    MessageLog(talk.storage).add("system", "written by who knows whom")
    talk.server.script(Reply("Ahoy!"))
    talk.service().send("Hello!")
    assert talk.asked() == [("user", "Hello!")]


def test_thinking_is_kept_and_not_sent(talk: Talk) -> None:
    talk.server.script(Reply("a", thinking="a hidden plan"), Reply("b"))
    service = talk.service()
    service.send("1")
    service.send("2")
    assert talk.asked() == [("user", "1"), ("assistant", "a"), ("user", "2")]


def test_a_history_that_a_provider_refuses_is_repaired(talk: Talk) -> None:
    """A result that came late, and one whose call is unknown."""
    service = talk.service()
    chat = service.chat()
    function = {"name": "f", "arguments": "{}"}
    chat.assistant("", [{"id": "c1", "type": "function", "function": function}])
    chat.user("well?")
    chat.tool("late", "c1")
    chat.tool("stray", "c9")
    talk.server.script(Reply("ok"))
    service.send()
    roles = [role for role, _ in talk.asked()]
    assert roles == ["assistant", "tool", "user", "assistant", "tool"]


def test_an_empty_answer_is_recorded(talk: Talk) -> None:
    talk.server.script(Reply(""))
    talk.service().send("Hello!")
    assert talk.said() == [("user", "Hello!"), ("assistant", "")]


def test_a_bad_message_is_refused_before_anything_happens(talk: Talk) -> None:
    service = talk.service()
    service.queue().user("queued")
    for content in ("\ud800", 5, ["x"]):
        with pytest.raises(CodecError):
            service.send(content)  # type: ignore[arg-type]
    assert not talk.log()
    assert not talk.state.is_running()


def test_messages_that_others_add_are_in_the_next_request(talk: Talk) -> None:
    service, other = talk.service(), talk.chat()
    talk.server.script(Reply("a", before_end=lambda: other.user("by the way")), Reply("b"))
    service.send("1")
    service.send("2")
    assert talk.asked() == [("user", "1"), ("user", "by the way"), ("assistant", "a"), ("user", "2")]


@pytest.mark.parametrize("number", [-1, 1.5, True, None])
def test_a_bad_number_of_rounds_is_refused(number: object) -> None:
    with pytest.raises(ValueError, match="max_tool_call_rounds"):
        ChatConfig(max_tool_call_rounds=number)  # type: ignore[arg-type]


@pytest.mark.parametrize("seconds", [0, -1, float("nan"), float("inf"), 86_401])
def test_a_bad_length_of_a_lease_is_refused(seconds: float) -> None:
    with pytest.raises(ValueError, match="lease_seconds"):
        ChatConfig(lease_seconds=seconds)
