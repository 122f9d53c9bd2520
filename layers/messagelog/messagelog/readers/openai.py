"""Reads OpenAI Chat Completions messages, and replies of that API, as messages of the log.

Sources: the API reference of `POST /v1/chat/completions` (platform.openai.com/docs/api-reference/chat), the values of
`object` there and in the Responses API (platform.openai.com/docs/api-reference/responses/object), and for the content
lists of Mistral's reasoning models docs.mistral.ai/capabilities/reasoning.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from messagelog.messages import AgentMessage, Role, ToolCall
from messagelog.readers.openai_files import file_of
from messagelog.readers.openai_originals import original_of
from messagelog.readers.reading import (
    NOT_HELD,
    Found,
    a_list,
    a_message,
    a_role,
    a_text,
    an_object,
    an_optional_text,
    content_of,
    each_part,
    entries,
    only_assistant_fields,
    read_content,
    refuse,
    refuse_stream,
    texts_in,
)
from messagelog.strictjson import below
from messagelog.views.arguments import parsed

_ROLES: dict[str, Role] = {
    "system": "system",
    "developer": "system",
    "user": "user",
    "assistant": "assistant",
    "tool": "tool",
    "function": "tool",
}
_THINKING = ("reasoning_content", "reasoning")  # the names that compatible endpoints use
_WHOLE = "use `client.chat.completions.stream(…)` and give the result of its `get_final_completion()`"


def from_openai(messages: object) -> list[AgentMessage]:
    """Reads Chat Completions messages or a whole ChatCompletion.

    `developer` becomes `system`, and a refusal becomes text. `arguments` are parsed to args. Text that is
    not JSON, or that parsing would change, stays text. `to_openai` gives back arguments that mean the same, with one
    exception: arguments that are not an object come back under the key `args`. The older `function_call` has no id, so
    the function's name links it to its `function` message. Images, audio and files become files. An assistant's message
    keeps the fields that text cannot express as the `original`, such as `reasoning_content`.

    Args:
        messages: One message, a sequence of messages, or a reply, as dicts or objects of the SDK.

    Raises:
        CodecError: A part is neither text nor a file that a message can hold, a call is of a custom tool, or a message
            is not valid. The error has its path.
    """
    return [message for path, entry in entries(messages) for message in _messages(*_unwrapped(entry, path))]


def _unwrapped(entry: Any, path: str) -> tuple[dict[str, Any], str, object]:
    """Returns the message of a ChatCompletion or of one of its choices, or the entry if it is a message.

    The path of the message and the name of its model come with it.
    """
    fields = a_message(entry, path)
    model = fields.get("model")
    if fields.get("object") == "chat.completion.chunk":
        refuse_stream(path, _WHOLE)
    if fields.get("object") == "response":
        refuse(path, "is a reply of the Responses API, and from_openai reads Chat Completions: append its text")
    if "choices" in fields:
        path = below(path, "choices")
        choices = a_list(fields["choices"], path)
        if len(choices) != 1:
            refuse(path, "must hold exactly one choice: pass the message of the choice to keep")
        fields, path = an_object(choices[0], f"{path}[0]"), f"{path}[0]"
    if "message" in fields:
        path = below(path, "message")
        fields = an_object(fields["message"], path)
    return fields, path, model


def _messages(fields: dict[str, Any], path: str, model: object) -> list[AgentMessage]:
    role = a_role(fields, "role", path, _ROLES)
    name = an_optional_text(fields, "name", path)
    if role == "assistant":
        found = _assistant(fields, path)
        original = original_of(fields, found.calls, path, model)
        return found.messages(role, name, lambda message: replace(message, original=original))
    only_assistant_fields(fields, role, path)
    content = content_of(fields, path, optional=fields["role"] == "function")
    read = read_content(content, below(path, "content"), file_of, text_of)
    if role == "tool":
        call_id = name if fields["role"] == "function" else an_optional_text(fields, "tool_call_id", path)
        return [read.message(role, name, call_id)]
    return [read.message(role, name)]


def _assistant(fields: dict[str, Any], path: str) -> Found:
    no_audio(fields, path)
    found = Found(thoughts=[fields[name] for name in _THINKING if isinstance(fields.get(name), str)][:1])
    for index, call in enumerate(a_list(fields.get("tool_calls") or [], below(path, "tool_calls"))):
        found.calls.append(tool_call(call, f"{below(path, 'tool_calls')}[{index}]"))
    found.calls += function_call(fields, path)
    for where, part in each_part(fields.get("content"), below(path, "content")):
        match part:
            case str():
                found.texts.append(part)
            case {"type": "thinking", "thinking": thinking}:
                found.thoughts.append("".join(texts_in(thinking)))
            case {"type": "reference"}:  # Mistral's citation marks
                pass
            case dict() if (file := file_of(part, where)) is not None:
                found.add_file(file)
            case _:
                found.texts.append(text_of(an_object(part, where), where))
    found.texts.append(an_optional_text(fields, "refusal", path) or "")
    return found


def no_audio(fields: dict[str, Any], path: str) -> None:
    """Refuses a reply that is audio."""
    if fields.get("audio") is not None:
        refuse(below(path, "audio"), "is speech, and its media type is unknown: append its transcript")


def function_call(fields: dict[str, Any], path: str) -> list[ToolCall]:
    """Returns the call in the older field `function_call`, if there is one. The function's name is its id."""
    if fields.get("function_call") is None:
        return []
    where = below(path, "function_call")
    function = an_object(fields["function_call"], where)
    return [named_call(a_text(function, "name", where), function, where)]


def tool_call(value: object, path: str) -> ToolCall:
    """Returns the ToolCall of an entry of `tool_calls`. Raises CodecError if it does not call a function."""
    call = an_object(value, path)
    if call.get("function") is None:
        refuse(path, "is not a function call, and only those can be kept")
    where = below(path, "function")
    return named_call(an_optional_text(call, "id", path) or "", an_object(call["function"], where), where)


def named_call(id: str, function: dict[str, Any], path: str) -> ToolCall:
    """Returns the ToolCall of an object with a function's `name` and its `arguments` as text."""
    return ToolCall(id, a_text(function, "name", path), _args(function.get("arguments")))


def _args(arguments: Any) -> Any:
    """Parses the text of arguments. Returns the text itself if it is not JSON, or is null or a JSON text.

    Some compatible endpoints give the value instead of its text.
    """
    if arguments is None or arguments == "":
        return {}
    value = parsed(arguments) if isinstance(arguments, str) else arguments
    return arguments if value is None or isinstance(value, str) else value


def text_of(part: dict[str, Any], path: str) -> str:
    """Returns the text of a part of a content. Raises CodecError if it is something else."""
    kind = part.get("type")
    return a_text(part, kind, path) if kind in ("text", "refusal") else refuse(path, NOT_HELD)
