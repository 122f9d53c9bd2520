"""A send that fails: it leaves in the log what was done, no part of an answer, and nothing in the next one's way."""

from __future__ import annotations

import pytest
from messagelog import (
    MessageLog,
    MessageLogError,
    MessageTooLargeError,
    OnAppendError,
    ProviderError,
    StorageUnavailableError,
    StoredMessage,
    ThrottledError,
    TurnFailedError,
    UnknownOutcomeError,
)
from messagelog.chat import Chat, ChatService, ToolEvent
from messagelog.chat.providers import ContentDelta

from tests.support.chat_server import BreaksOff, Chunked, Cut, Refuse, Reply, Short, Silent, Step
from tests.support.chats import Talk, Weather, call

SECRET = "the treasure is on Tortuga"

FAILURES: dict[str, Step] = {
    "refused": Refuse(400),
    "overloaded": Refuse(503),
    "an error in mid-stream": BreaksOff(SECRET),
    "an error in a call": BreaksOff(SECRET, calls=[call("c1")]),
    "cut": Cut("Half of"),
    "cut before the first word": Cut(),
    "cut in mid-call": Cut(calls=[call("c1")]),
    "ended early": Short("Half of"),
    "silent": Silent("Half of"),
    "no chunks": Chunked(["nonsense"]),
}


@pytest.mark.parametrize("failure", FAILURES.values(), ids=FAILURES)
def test_a_provider_that_fails(talk: Talk, failure: Step) -> None:
    talk.provider = talk.server.provider(timeout=0.2 if isinstance(failure, Silent) else 60)
    service, weather = talk.service(), Weather()
    service.tools().add(weather)
    service.queue().user("queued")
    talk.server.script(failure)
    with pytest.raises(ProviderError) as caught:
        service.send(SECRET)
    assert "Tortuga" not in str(caught.value)
    assert talk.said() == [("user", "queued"), ("user", SECRET)], "no part of the answer"
    assert not weather.runs
    talk.server.script(Reply("Ahoy!"))
    talk.service().send()
    assert talk.said() == [("user", "queued"), ("user", SECRET), ("assistant", "Ahoy!")]


def test_a_provider_that_fails_in_a_later_round(talk: Talk) -> None:
    service, weather = talk.service(), Weather()
    service.tools().add(weather)
    talk.server.script(Reply(calls=[call("c1")]), Cut("Half of"))
    with pytest.raises(ProviderError):
        service.send("y")
    assert talk.said() == [("user", "y"), ("assistant", ""), ("tool", "22 in Berlin")]
    talk.server.script(Reply("ok"))
    service.send()
    assert len(weather.runs) == 1
    assert talk.said()[3:] == [("assistant", "ok")]


def test_messages_queued_during_a_failed_send_stay_queued(talk: Talk) -> None:
    service = talk.service()
    talk.server.script(Cut("Half of", before_end=lambda: service.queue().user("s")))
    with pytest.raises(ProviderError):
        service.send("y")
    assert talk.said() == [("user", "y")]
    talk.server.script(Reply("ok"))
    service.send()
    assert talk.said() == [("user", "y"), ("user", "s"), ("assistant", "ok")]


def test_a_send_that_failed_is_over(talk: Talk) -> None:
    service = talk.service()
    talk.server.script(Refuse(500))
    with pytest.raises(ProviderError):
        service.send("y")
    assert not talk.state.is_running()
    service.chat().clear()


def test_a_refused_content_leaves_an_open_turn_open(talk: Talk) -> None:
    talk.state.release(talk.state.acquire("me", seconds=60, turn="me"))
    with pytest.raises(MessageTooLargeError):
        talk.service().send("x" * 6_000_000)
    talk.service().queue().user("queued")
    talk.server.script(Reply("r"))
    assert len(talk.service().resume("me")) == 2


def table_that_fails(talk: Talk, monkeypatch: pytest.MonkeyPatch, error: MessageLogError) -> None:
    """From the first renewal of the lease on."""

    def renew(*_: object, **__: object) -> None:
        raise error

    monkeypatch.setattr(talk.state, "renew", renew)


@pytest.mark.parametrize(
    "error",
    [
        ThrottledError("nothing was written"),
        StorageUnavailableError("nothing was written"),
        UnknownOutcomeError("maybe"),
    ],
    ids=lambda error: type(error).__name__,
)
def test_a_failing_table_after_the_content_fails_the_turn(
    talk: Talk, monkeypatch: pytest.MonkeyPatch, error: MessageLogError
) -> None:
    service = talk.service()
    with monkeypatch.context() as patch:
        table_that_fails(talk, patch, error)
        with pytest.raises(TurnFailedError, match="go on with a send without content") as caught:
            service.send("hi")
    assert caught.value.__cause__ is error
    assert talk.said() == [("user", "hi")]
    talk.server.script(Reply("Ahoy!"))
    service.send()
    assert talk.said() == [("user", "hi"), ("assistant", "Ahoy!")]


def test_a_failing_table_without_content_is_its_own_error(talk: Talk, monkeypatch: pytest.MonkeyPatch) -> None:
    service = talk.service()
    service.queue().user("hi")
    table_that_fails(talk, monkeypatch, ThrottledError("later"))
    with pytest.raises(ThrottledError):
        service.send()


def test_a_failing_table_before_the_content_writes_nothing(talk: Talk, monkeypatch: pytest.MonkeyPatch) -> None:
    def last_staged() -> None:
        raise ThrottledError("nothing was written")

    monkeypatch.setattr(talk.state, "last_staged", last_staged)
    with pytest.raises(ThrottledError):
        talk.service().send("hi")
    assert talk.said() == []


class TestHooks:
    """A callback that raises only listens: the turn is done to its end, the others hear all, and the caller is told."""

    @pytest.fixture(autouse=True)
    def _service(self, talk: Talk) -> None:
        self.service = talk.service()
        self.weather = Weather()
        self.service.tools().add(self.weather)

    def check(self, talk: Talk) -> None:
        """A send with a round of two tools is done, whatever the hook that was made does, and the next one as well."""
        heard: list[object] = []
        for builder in (self.service.hook().message(), self.service.hook().stream(), self.service.hook().tool()):
            builder.do(heard.append)
        talk.server.script(Reply("Let me see.", calls=[call("a"), call("b", "Bonn")]), Reply("Mild."))
        with pytest.raises(OnAppendError) as caught:
            self.service.send("y")
        assert str(caught.value.__cause__) == "the hook's own fault"
        assert caught.value.seqs == (1, 2, 3, 4, 5)
        assert [role for role, _ in talk.said()] == ["user", "assistant", "tool", "tool", "assistant"]
        assert [each for each in heard if isinstance(each, StoredMessage)] == talk.log()
        assert sum(isinstance(each, ToolEvent) for each in heard) == 4
        assert "".join(each.text for each in heard if isinstance(each, ContentDelta)) == "Let me see.Mild."
        assert len(self.weather.runs) == 2
        assert not talk.state.is_running()

    @pytest.mark.parametrize("role", ["user", "assistant", "tool"])
    def test_on_a_message(self, talk: Talk, role: str) -> None:
        self.service.hook().message(role).do(fail)
        self.check(talk)

    def test_on_the_stream(self, talk: Talk) -> None:
        self.service.hook().stream("content").do(fail)
        self.check(talk)

    @pytest.mark.parametrize("phase", ["before", "after"])
    def test_on_a_tool(self, talk: Talk, phase: str) -> None:
        getattr(self.service.hook().tool(), phase)().do(fail)
        self.check(talk)

    def test_on_a_tool_that_raised(self, talk: Talk) -> None:
        self.weather.work = fail
        self.service.hook().tool().error().do(fail)
        self.check(talk)

    def test_the_callback_of_the_log_is_heard_as_one(self, talk: Talk) -> None:
        log = MessageLog(talk.storage, on_append=fail)
        self.service = ChatService(Chat(log, talk.state), talk.provider)
        self.service.tools().add(self.weather)
        self.check(talk)

    def test_the_first_of_many_errors_is_told(self, talk: Talk) -> None:
        for name in "ab":
            self.service.hook().message().do(lambda _, name=name: fail(name, name))
        talk.server.script(Reply("Ahoy!"))
        with pytest.raises(OnAppendError) as caught:
            self.service.send("y")
        assert str(caught.value.__cause__) == "a"

    def test_on_a_reply_that_breaks_off_the_providers_error_is_told(self, talk: Talk) -> None:
        self.service.hook().stream().do(fail)
        talk.server.script(Short("Half of"))
        with pytest.raises(ProviderError, match="broke off"):
            self.service.send("y")

    def test_where_nothing_was_recorded(self, talk: Talk) -> None:
        self.service.chat().user("y")
        self.service.hook().stream().do(lambda _: fail(self.service.interrupt()))
        talk.server.script(Reply("Ahoy!"))
        with pytest.raises(OnAppendError, match="nothing was stored") as caught:
            self.service.send()
        assert caught.value.seqs == ()


def fail(_: object, text: str = "the hook's own fault") -> None:
    raise RuntimeError(text)
