"""The answer of each function to its sample event, if all are invoked in this order on empty tables."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from local.template import ROOT, read_template


def whole(body: Any) -> Any:
    return body


def nothing(_: Any) -> None:
    return None


def seqs(body: Any) -> list[int]:
    return [message["seq"] for message in body["messages"]]


def roles(body: Any) -> list[str]:
    return [message["role"] for message in body["messages"]]


def persona(body: Any) -> str:
    text: str = body["tree"]["children"][0]["children"][0]["content"]
    return text


@dataclass(frozen=True)
class Sample:
    """An operation, the status of its answer, and the value that `part` finds in the body.

    Without a status, any success is right.
    """

    operation: str
    status: int | None = None
    part: Callable[[Any], Any] = nothing
    value: Any = None

    @property
    def event(self) -> bytes:
        return (ROOT / "events" / f"{self.operation}.json").read_bytes()

    def check(self, reply: Any) -> None:
        """Fail unless `reply` is the one that API Gateway should get from the function."""
        assert reply.get("statusCode") in ([self.status] if self.status else range(200, 300)), reply
        assert self.part(json.loads(reply["body"])) == self.value


KNOWN = (
    Sample("add", 201, whole, {"seq": 1}),
    Sample("append", 201, whole, {"seq": 2}),
    Sample("append_many", 201, whole, {"seq": 5}),
    Sample("count", 200, whole, {"count": 5}),
    Sample("all", 200, seqs, [3, 4, 5]),
    Sample("last", 200, seqs, [1, 2, 3, 4, 5]),
    Sample("to_openai", 200, roles, ["user", "assistant", "tool", "tool", "assistant"]),
    Sample("to_anthropic", 200, roles, ["user", "assistant", "user", "assistant"]),
    Sample("to_bedrock", 200, roles, ["user", "assistant", "user", "assistant"]),
    Sample("to_langchain", 200, roles, ["user", "assistant", "assistant"]),
    Sample("chat_messages", 200, seqs, [3, 4, 5]),
    Sample("put_system", 200, persona, "You are a pirate.\nSpeak so."),
    Sample("get_system", 200, persona, "You are a pirate.\nSpeak so."),
    Sample("clear", 200, whole, {"cleared": True}),
    Sample("enqueue", 202, whole, {"queued": True}),
    Sample("send", 202, whole, {"after": 5}),
)
OTHERS = {function.module for function in read_template().functions} - {"send_worker", *(it.operation for it in KNOWN)}
SAMPLES = (*KNOWN, *(Sample(operation) for operation in sorted(OTHERS)))
