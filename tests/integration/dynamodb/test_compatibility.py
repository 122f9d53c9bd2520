"""Version 0.1.0 and this version share a table. Each reads the rows and segments of the other, in any order."""

from __future__ import annotations

from typing import Any

from messagelog import AgentMessage, File, Original, ToolCall, codec

from tests.support.old_version import append_and_read
from tests.support.tables import Table

CALL = ToolCall("t1", "find", {"q": [1, 1.0, -0.0, None, "é"]})
PLAIN = [
    AgentMessage("user", "hi", name="ann"),
    AgentMessage("assistant", "long " * 1_000, tool_calls=(CALL,), origin="model"),
    AgentMessage("tool", "", tool_call_id="t1"),
]
RICH = [
    AgentMessage("user", "A: ?", files=(File("image/png", b"\x89PNG", name="a.png", offset=3),)),
    AgentMessage(
        "assistant",
        "long " * 1_000,
        tool_calls=(CALL,),
        original=Original(
            "anthropic", [{"type": "thinking", "thinking": "", "signature": "s" * 400}], "claude-opus-5-5"
        ),
    ),
    AgentMessage("tool", "seen", tool_call_id="t1", files=(File("text/plain", url="s3://bucket/key"),)),
]
NEW_FIELDS = ("files", "original")


def forms(messages: list[Any]) -> list[dict[str, Any]]:
    """Messages in the JSON form in which they are appended."""
    return [codec.to_json(codec.parse(message)) for message in messages]


def known_to_0_1_0(messages: list[Any]) -> list[dict[str, Any]]:
    """Messages in their JSON form without the fields that version 0.1.0 does not know."""
    return [{name: value for name, value in form.items() if name not in NEW_FIELDS} for form in forms(messages)]


def many(messages: list[AgentMessage]) -> list[AgentMessage]:
    """Enough messages to become a segment."""
    return messages * 40


def test_version_0_1_0_reads_new_rows(on_ministack: Table) -> None:
    log = on_ministack.log()
    for message in RICH:
        log.append(message)
    log.append_many(RICH)
    assert [row for row in on_ministack.rows() if "nonce" in row], "0.1.0 does not know this attribute"
    assert forms(append_and_read(on_ministack.name, "c1")) == known_to_0_1_0(RICH * 2)


def test_version_0_1_0_reads_new_segments(on_ministack: Table) -> None:
    large = AgentMessage("user", "see", files=(File("image/png", bytes(range(256)) * 4_000),))
    log = on_ministack.log()
    log.append_many(many(RICH))
    log.append(large)
    assert [row for row in on_ministack.rows() if "segment" in row]
    assert forms(append_and_read(on_ministack.name, "c1")) == known_to_0_1_0([*many(RICH), large])


def test_old_rows_and_segments_are_read(on_ministack: Table) -> None:
    append_and_read(on_ministack.name, "c1", forms(PLAIN), forms(many(PLAIN)))
    assert [codec.parse(message) for message in on_ministack.log().all()] == [*PLAIN, *many(PLAIN)]


def test_both_versions_can_append_to_one_conversation(on_ministack: Table) -> None:
    log, expected = on_ministack.log(), [*RICH]
    log.append_many(RICH)
    for batch in (PLAIN, many(PLAIN)):
        append_and_read(on_ministack.name, "c1", forms(batch))
        log.append_many(RICH)
        expected += [*batch, *RICH]
    assert [codec.parse(message) for message in log.all()] == expected
    read = append_and_read(on_ministack.name, "c1")
    assert [message["seq"] for message in read] == list(range(1, len(expected) + 1))
    assert forms(read) == known_to_0_1_0(expected)


def test_rows_of_plain_messages_are_as_in_version_0_1_0(on_ministack: Table) -> None:
    """Only the time of the append and the random bytes of the first row differ."""
    append_and_read(on_ministack.name, "old", *([form] for form in forms(PLAIN)), forms(PLAIN))
    log = on_ministack.log("new")
    for message in PLAIN:
        log.append(message)
    log.append_many(PLAIN)

    def rows(conversation: str) -> list[dict[str, Any]]:
        found = [row for row in on_ministack.rows() if row.pop("conversation") == {"S": conversation}]
        for row in found:
            row.pop("at", None)
            row.pop("nonce", None)
        return sorted(found, key=lambda row: row["entry"]["S"])

    assert rows("new") == rows("old")
