"""The reasons for which replies end: only a listed reason makes a reply whole."""

from __future__ import annotations

import pytest
from messagelog import ProviderError
from messagelog.chat.providers import Finish
from messagelog.chat.providers.finish_reasons import finish

WHOLE = ["stop", "tool_calls", "function_call", "end_turn", "stop_sequence", "tool_use", "eos", "eos_token", "STOP"]
ERRORS = ["error", "abort", "insufficient_system_resource", "network_error", "ERROR"]
CUT = [
    *["length", "content_filter", "model_length", "repetition", "sensitive", "max_tokens", "timeout", "load"],
    *["model_context_window_exceeded", "guardrail_intervened", "content_filtered", "malformed_tool_use"],
    *["malformed_model_output", "MAX_TOKENS", "SAFETY", "RECITATION", "MALFORMED_FUNCTION_CALL", "OTHER", "unheard_of"],
]


@pytest.mark.parametrize("reason", WHOLE)
def test_a_listed_reason_is_whole(reason: str) -> None:
    assert finish(reason) == Finish(reason)


@pytest.mark.parametrize("reason", CUT)
def test_any_other_reason_is_cut(reason: str) -> None:
    assert finish(reason) == Finish(reason, is_cut=True)


@pytest.mark.parametrize("reason", ERRORS)
def test_a_reason_that_says_error_is_a_provider_error(reason: str) -> None:
    with pytest.raises(ProviderError, match=reason) as caught:
        finish(reason)
    assert (caught.value.code, caught.value.status) == (reason, None)


@pytest.mark.parametrize("reason", ["the treasure is on Tortuga", "x" * 65, "stop\n", "arrêt"])
def test_a_reason_that_is_text_is_not_repeated(reason: str) -> None:
    assert finish(reason) == Finish("unknown", is_cut=True)
