"""A send that fails: it leaves in the log what was done, no part of an answer, and nothing in the next one's way."""

from __future__ import annotations

import pytest
from messagelog import OnAppendError, ProviderError, StoredMessage
from messagelog.chat.providers import ContentDelta

from tests.chat_server import BreaksOff, Chunked, Cut, Refuse, Reply, Short, Silent, Step
from tests.chats import Talk, Weather, call

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


def test_what_is_queued_during_a_send_that_fails_stays_queued(talk: Talk) -> None:
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


class TestHooks:
    """A callback that raises: what it was told of is stored, the others run, and the error reaches the caller."""

    def error(self, talk: Talk, *, said: list[tuple[str, str]]) -> None:
        """The send of `talk`'s service fails for its hook, and leaves this; the next one goes on from there."""
        others: list[object] = []
        for builder in (self.service.hook().message(), self.service.hook().stream(), self.service.hook().tool()):
            builder.do(others.append)
        with pytest.raises(OnAppendError) as caught:
            self.service.send("y")
        assert str(caught.value.__cause__) == "the hook's own fault"
        assert talk.said() == said
        assert caught.value.seqs == (len(said),)
        assert [other for other in others if isinstance(other, StoredMessage)] == talk.log()
        self.others = others
        self.hook.dispose()
        talk.server.script(Reply("ok"))
        self.service.send()
        assert talk.said() == [*said, ("assistant", "ok")]

    @pytest.fixture(autouse=True)
    def _service(self, talk: Talk) -> None:
        self.service = talk.service()
        self.weather = Weather()
        self.service.tools().add(self.weather)

    def test_on_the_users_message(self, talk: Talk) -> None:
        self.hook = self.service.hook().message("user").do(fail)
        self.error(talk, said=[("user", "y")])

    def test_on_the_answer(self, talk: Talk) -> None:
        self.hook = self.service.hook().message("assistant").do(fail)
        talk.server.script(Reply("Ahoy!"))
        self.error(talk, said=[("user", "y"), ("assistant", "Ahoy!")])

    def test_on_the_stream(self, talk: Talk) -> None:
        self.hook = self.service.hook().stream("content").max_triggers(1).do(fail)
        talk.server.script(Reply("Ahoy!"))
        self.error(talk, said=[("user", "y"), ("assistant", "Ahoy!")])
        assert [event for event in self.others if isinstance(event, ContentDelta)][:2] == [
            ContentDelta("Ah"),
            ContentDelta("oy!"),
        ]

    @pytest.mark.parametrize("phase", ["before", "after"])
    def test_on_a_tool(self, talk: Talk, phase: str) -> None:
        self.hook = getattr(self.service.hook().tool(), phase)().do(fail)
        talk.server.script(Reply(calls=[call("c1")]))
        self.error(talk, said=[("user", "y"), ("assistant", ""), ("tool", "22 in Berlin")])
        assert len(self.weather.runs) == 1

    def test_on_a_tool_that_raised(self, talk: Talk) -> None:
        self.weather.work = fail
        self.hook = self.service.hook().tool().error().do(fail)
        talk.server.script(Reply(calls=[call("c1")]))
        self.error(
            talk,
            said=[("user", "y"), ("assistant", ""), ("tool", "Error: RuntimeError: the hook's own fault")],
        )

    def test_on_a_result_with_calls_left(self, talk: Talk) -> None:
        """The next send runs only what is left."""
        self.hook = self.service.hook().message("tool").do(fail)
        talk.server.script(Reply(calls=[call("a"), call("b")]))
        with pytest.raises(OnAppendError):
            self.service.send("y")
        self.hook.dispose()
        talk.server.script(Reply("ok"))
        self.service.send()
        assert len(self.weather.runs) == 2
        assert [message.tool_call_id for message in talk.log() if message.role == "tool"] == ["a", "b"]


def fail(_: object) -> None:
    raise RuntimeError("the hook's own fault")
