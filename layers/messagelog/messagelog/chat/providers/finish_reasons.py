"""The reasons for which a reply ends, of all providers: the reply is whole, it was cut, or an error happened.

Only a reply that ends for a listed reason is whole. With any other reason the model was stopped before it had said
everything, so that a tool call may lack a part of its arguments. The reasons are compared without regard to case.

Whole:
    stop, tool_calls, function_call    OpenAI, "The chat completion chunk object" (platform.openai.com/docs/
                                       api-reference/chat-streaming), and every compatible endpoint
    end_turn, stop_sequence, tool_use  Amazon Bedrock, `MessageStopEvent` (docs.aws.amazon.com/bedrock/latest/
                                       APIReference); gateways to Claude pass them on
    eos, eos_token                     Together AI; Text Generation Inference, `FinishReason`

Errors:
    error                              Mistral, `CompletionResponseStreamChoice`; OpenRouter, "Errors and Debugging";
                                       vLLM, `FinishReason`: an internal error
    abort                              vLLM, `FinishReason`, and SGLang: the server dropped the request
    insufficient_system_resource       DeepSeek, "Create Chat Completion"
    network_error                      Zhipu and Z.ai, "Chat Completion"

Cut, among others:
    length, content_filter             OpenAI
    model_length                       Mistral
    repetition                         vLLM
    sensitive                          Zhipu and Z.ai
    model_context_window_exceeded      Bedrock, Z.ai
    max_tokens, guardrail_intervened, content_filtered, malformed_model_output, malformed_tool_use    Bedrock
    MAX_TOKENS, SAFETY, RECITATION, MALFORMED_FUNCTION_CALL    Gemini, `FinishReason`; gateways pass them on
"""

from __future__ import annotations

import re

from messagelog.chat.errors import ProviderError
from messagelog.chat.providers import Finish

WHOLE = frozenset(("stop", "tool_calls", "function_call", "end_turn", "stop_sequence", "tool_use", "eos", "eos_token"))
ERRORS = frozenset(("error", "abort", "insufficient_system_resource", "network_error"))
_CODE = re.compile(r"[\w.-]{1,64}", re.ASCII)


def finish(reason: str) -> Finish:
    """Returns the end of a reply.

    Args:
        reason: The provider's reason. One that does not look like a code becomes `unknown`, since errors name it and
            it must not carry content.

    Raises:
        ProviderError: The reason says that an error happened. Its `code` is the reason.
    """
    word = reason if is_code(reason) else "unknown"
    if word.casefold() in ERRORS:
        raise ProviderError(f"the provider ended its reply with an error ({word})", code=word) from None
    return Finish(word, is_cut=word.casefold() not in WHOLE)


def is_code(text: object) -> bool:
    """Whether a text of a provider looks like a code: at most 64 of a-z, A-Z, 0-9, `_`, `.` and `-`."""
    return isinstance(text, str) and _CODE.fullmatch(text) is not None
