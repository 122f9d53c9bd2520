"""Endpoints of OpenAI, Anthropic and Bedrock on 127.0.0.1 that refuse what the real ones refuse.

A request that breaks a rule is answered 400 with the fault. Any other request gets a reply that calls a tool. If the
request ends in a result, the reply is text instead.
"""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from typing import Any

from werkzeug.serving import make_server
from werkzeug.wrappers import Request, Response

from tests.providers import anthropic_rules, bedrock_rules, openai_rules

_serial = count(1)


@contextmanager
def endpoints() -> Iterator[str]:
    """Serves all three providers and yields their URL."""
    server = make_server("127.0.0.1", 0, _answer, threaded=True)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


@Request.application
def _answer(request: Request) -> Response:
    body = json.loads(request.get_data())
    if request.path == "/v1/chat/completions":
        return _reply(openai_rules.faults(body["messages"]), _openai_error, _openai_reply(body["messages"]))
    if request.path == "/v1/messages":
        return _reply(anthropic_rules.faults(body["messages"]), _anthropic_error, _anthropic_reply(body["messages"]))
    if re.fullmatch(r"/model/[^/]+/converse", request.path):
        return _reply(bedrock_rules.faults(body["messages"]), _bedrock_error, _bedrock_reply(body["messages"]))
    return Response(status=404)


def _reply(faults: list[str], error: Any, reply: dict[str, Any]) -> Response:
    if not faults:
        return Response(json.dumps(reply), 200, mimetype="application/json")
    headers = {"x-amzn-errortype": "ValidationException"}
    return Response(json.dumps(error(faults[0])), 400, headers, mimetype="application/json")


def _openai_error(message: str) -> dict[str, Any]:
    return {"error": {"message": message, "type": "invalid_request_error", "param": "messages", "code": None}}


def _openai_reply(messages: list[dict[str, Any]]) -> dict[str, Any]:
    function = {"name": "clock", "arguments": "{}"}
    message: dict[str, Any] = {"role": "assistant", "content": "It is noon."}
    if messages[-1]["role"] != "tool":
        calls = [{"id": f"call_{next(_serial)}", "type": "function", "function": function}]
        message = {"role": "assistant", "content": None, "tool_calls": calls}
    choice = {"index": 0, "message": message, "finish_reason": "stop", "logprobs": None}
    return {"id": "c", "object": "chat.completion", "created": 0, "model": "m", "choices": [choice]}


def _anthropic_error(message: str) -> dict[str, Any]:
    return {"type": "error", "error": {"type": "invalid_request_error", "message": message}}


def _anthropic_reply(messages: list[dict[str, Any]]) -> dict[str, Any]:
    content: dict[str, Any] = {"type": "text", "text": "It is noon."}
    if messages[-1]["content"][-1]["type"] != "tool_result":
        content = {"type": "tool_use", "id": f"toolu_{next(_serial)}", "name": "clock", "input": {}}
    return {
        "id": "m",
        "type": "message",
        "role": "assistant",
        "model": "m",
        "content": [content],
        "stop_reason": "end_turn",
        "stop_sequence": None,
        "usage": {"input_tokens": 1, "output_tokens": 1},
    }


def _bedrock_error(message: str) -> dict[str, Any]:
    return {"message": message}


def _bedrock_reply(messages: list[dict[str, Any]]) -> dict[str, Any]:
    content: dict[str, Any] = {"text": "It is noon."}
    if "toolResult" not in messages[-1]["content"][-1]:
        content = {"toolUse": {"toolUseId": f"tooluse_{next(_serial)}", "name": "clock", "input": {}}}
    return {
        "output": {"message": {"role": "assistant", "content": [content]}},
        "stopReason": "end_turn",
        "usage": {"inputTokens": 1, "outputTokens": 1, "totalTokens": 2},
        "metrics": {"latencyMs": 1},
    }
