"""A model's own turn goes back to its API as it came, and its thinking only where its maker will accept it."""

from __future__ import annotations

import hashlib
import json
import random
from typing import Any

import pytest
from messagelog import AgentMessage, Messages, Original, StoredMessage, ToolCall
from messagelog.views.anthropic import to_anthropic
from messagelog.views.bedrock import to_bedrock
from messagelog.views.langchain import to_langchain
from messagelog.views.openai import to_openai
from messagelog.views.originals import differ
from messagelog.views.window_limits import WindowLimits
from messagelog.views.windows import window

from tests.providers.logs import stored

USER = AgentMessage("user", "q")
THINKING = {"type": "thinking", "thinking": "", "signature": "sig1"}
USE = {"type": "tool_use", "id": "toolu_1", "name": "f", "input": {}}
CALLS = (ToolCall("toolu_1", "f", {}),)
MODEL = "claude-opus-5-5"
TURN = AgentMessage("assistant", "", tool_calls=CALLS, original=Original("anthropic", [THINKING, USE], MODEL))
RESULT = AgentMessage("tool", "r", tool_call_id="toolu_1")
SEEDS = 300


def turn(view: list[Any]) -> Any:
    """The blocks of the model's turn, which comes second."""
    return view[1]["content"]


def test_a_turn_goes_back_to_its_api_as_it_came() -> None:
    assert turn(to_anthropic(stored([USER, TURN, RESULT]))) == [THINKING, USE]
    assert turn(to_anthropic(stored([USER, TURN, RESULT]), model=MODEL)) == [THINKING, USE]


@pytest.mark.parametrize("options", [{"reasoning": False}, {"model": "claude-haiku-5-5"}], ids=str)
def test_another_model_gets_text_and_calls(options: Any) -> None:
    assert turn(to_anthropic(stored([USER, TURN, RESULT]), **options)) == [USE]


def test_another_api_gets_text_and_calls() -> None:
    for view in (to_bedrock, to_openai):
        assert "sig1" not in json.dumps(view(stored([USER, TURN, RESULT])))


def test_an_original_of_other_calls_does_not_go_back() -> None:
    other = Original("anthropic", [THINKING, {**USE, "id": "toolu_9"}], MODEL)
    assert turn(to_anthropic(stored([USER, AgentMessage("assistant", "", tool_calls=CALLS, original=other)]))) == [USE]


def test_ids_and_names_are_repaired_inside_the_blocks() -> None:
    use = {**USE, "id": "toolu:1", "name": "f g"}
    call = ToolCall("toolu:1", "f g", {})
    own = AgentMessage("assistant", "", tool_calls=(call,), original=Original("anthropic", [THINKING, use]))
    view = to_anthropic(stored([USER, own, AgentMessage("tool", "r", tool_call_id="toolu:1")]))
    thinking, repaired = turn(view)
    plain = turn(to_anthropic(stored([USER, own]), reasoning=False))
    assert (thinking, [repaired]) == (THINKING, plain)
    assert view[2]["content"][0]["tool_use_id"] == repaired["id"] != "toolu:1"


def test_blank_text_is_left_out() -> None:
    blocks: list[Any] = [THINKING, {"type": "text", "text": " "}, USE]
    own = AgentMessage("assistant", " ", tool_calls=CALLS, original=Original("anthropic", blocks))
    assert turn(to_anthropic(stored([USER, own, RESULT]))) == [THINKING, USE]


def test_a_faithful_view_shows_it_whatever_the_model() -> None:
    assert to_anthropic(stored([TURN]), faithful=True, model="other") == [
        {"role": "assistant", "content": [THINKING, USE]}
    ]


def test_a_late_result_leaves_later_thinking_out() -> None:
    text = {"type": "text", "text": "a"}
    second = AgentMessage("assistant", "a", original=Original("anthropic", [{**THINKING, "signature": "sig2"}, text]))
    late = [USER, TURN, USER, second, RESULT, USER]
    assert [entry["content"] for entry in to_anthropic(stored(late))[1::2]] == [[THINKING, USE], [text]]
    everything = to_anthropic(stored(late), reasoning=True)
    assert everything[3]["content"][0]["signature"] == "sig2"


def test_openai_gets_its_further_fields() -> None:
    calls: list[Any] = [{"id": "c", "type": "function", "function": {"name": "f", "arguments": "{ }"}}]
    original = Original("openai", [{"reasoning_content": "Hm.", "tool_calls": calls}], "deepseek-v4-pro")
    own = AgentMessage("assistant", "", tool_calls=(ToolCall("c", "f", {}),), original=original)
    later = AgentMessage("assistant", "", tool_calls=(ToolCall("d", "f", {}),))
    view = to_openai(stored([USER, own, AgentMessage("tool", "r", tool_call_id="c"), later]))
    assert view[1] == {"role": "assistant", "content": "", "reasoning_content": "Hm.", "tool_calls": calls}
    assert view[3]["reasoning_content"] == ""
    assert "reasoning_content" not in json.dumps(to_openai(stored([USER, own]), reasoning=False))


@pytest.mark.parametrize("calls", [(), CALLS], ids=["text", "call"])
@pytest.mark.parametrize(
    ("api", "block"),
    [
        ("anthropic", {"type": "tool_use"}),
        ("anthropic", {"type": "tool_use", "id": ["toolu_1"], "name": 5}),
        ("anthropic", {"type": "tool_result", "text": 5}),
        ("bedrock", {"toolUse": None}),
        ("bedrock", {"toolUse": {"toolUseId": "toolu_1"}}),
        ("bedrock", {"text": 5}),
        ("openai", {"tool_calls": 5}),
        ("openai", {"tool_calls": {"id": "toolu_1"}}),
        ("openai", {"tool_calls": [{"id": "toolu_1", "function": None}]}),
    ],
    ids=str,
)
def test_malformed_blocks_harm_no_view(api: str, block: Any, calls: tuple[ToolCall, ...]) -> None:
    own = AgentMessage("assistant", "a", tool_calls=calls, original=Original(api, [block]))
    for view in (to_anthropic, to_bedrock, to_openai, to_langchain):
        for faithful in (False, True):
            assert view(stored([USER, own]), faithful=faithful)[1]["role"] == "assistant"


def test_an_original_does_not_replace_role_and_content() -> None:
    own = AgentMessage("assistant", "a", original=Original("openai", [{"role": "user", "content": 5, "refusal": "r"}]))
    assert to_openai(stored([USER, own]))[1] == {"role": "assistant", "content": "a", "refusal": "r"}


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("claude-opus-4-5-20251101", "claude-opus-4-5"),
        ("us.anthropic.claude-opus-4-5-20251101-v1:0", "claude-opus-4-5"),
        ("gpt-6.2-2026-03-01", "gpt-6.2"),
        ("gemini-3-pro-latest", "gemini-3-pro"),
        ("amazon.nova-pro-v1:0", "us.amazon.nova-pro-v1:0"),
        (None, "claude-opus-4-5"),
        ("claude-opus-4-5", None),
    ],
)
def test_names_of_one_model_do_not_differ(one: str | None, other: str | None) -> None:
    assert not differ(one, other)


@pytest.mark.parametrize(("one", "other"), [("gpt-5", "gpt-5-mini"), ("claude-opus-4-5", "claude-opus-4-6")])
def test_names_of_two_models_differ(one: str, other: str) -> None:
    assert differ(one, other)


class Signer:
    """A model that binds each thought to everything before it, as the newest Claude models do."""

    def __init__(self, rng: random.Random, limits: WindowLimits) -> None:
        self.rng = rng
        self.limits = limits
        self.log: list[StoredMessage] = []
        self.ids = 0

    def window(self) -> Messages:
        return window(iter(self.log[::-1]), self.limits)

    def add(self, *messages: AgentMessage) -> None:
        at = stored([USER])[0].at
        self.log += [StoredMessage.of(m, seq=len(self.log) + i, at=at) for i, m in enumerate(messages, 1)]

    def answer(self) -> None:
        """Appends a turn whose thinking is signed for the request that the view makes now."""
        request = to_anthropic(self.window())
        if not request or request[-1]["role"] == "assistant":
            return
        self.ids += 1
        id = f"toolu_{self.ids if self.rng.random() < 0.8 else self.rng.randrange(1, 4)}"
        calls = (ToolCall(id, "f", {}),) if self.rng.random() < 0.6 else ()
        blocks: list[Any] = [{**THINKING, "signature": signature(request)}]
        blocks += [{**USE, "id": call.id} for call in calls] or [{"type": "text", "text": f"a{self.ids}"}]
        content = "" if calls else f"a{self.ids}"
        self.add(AgentMessage("assistant", content, tool_calls=calls, original=Original("anthropic", blocks, MODEL)))


def signature(prefix: list[Any]) -> str:
    return hashlib.sha256(json.dumps(prefix).encode()).hexdigest()


def refused(view: list[Any]) -> list[Any]:
    """The thoughts that do not follow what they were signed for."""
    found = []
    for index, entry in enumerate(view):
        for place, block in enumerate(entry["content"]):
            if block["type"] == "thinking" and (place > 0 or block["signature"] != signature(view[:index])):
                found.append(block)
    return found


@pytest.mark.parametrize("seed", range(SEEDS))
def test_no_thought_is_refused(seed: int) -> None:
    """Broken logs: late, doubled, missing and repeated results, in windows that slide or step."""
    rng = random.Random(seed)
    last = rng.choice([None, 4, 8, 12])
    signer = Signer(rng, WindowLimits(last=last, step=1 if last is None else rng.randrange(1, last + 1)))
    for _ in range(40):
        signer.add(USER)
        signer.answer()
        if rng.random() < 0.7:
            signer.add(
                AgentMessage("tool", "r", tool_call_id=f"toolu_{max(1, signer.ids - rng.choice([0, 0, 0, 1, 2]))}")
            )
            signer.answer()
        assert refused(to_anthropic(signer.window())) == []
