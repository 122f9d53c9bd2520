"""The names that applications import. A name that is removed or renamed breaks them, so the lists are pinned here."""

from __future__ import annotations

import os
import subprocess
import sys
from importlib import import_module

import pytest

from local.template import ROOT

EXPORTS = {
    "messagelog": {
        "AgentMessage",
        "CodecError",
        "ConflictError",
        "ExpectedCountError",
        "File",
        "IdempotencyMismatchError",
        "LeaseLostError",
        "MessageLog",
        "MessageLogError",
        "MessageTooLargeError",
        "Messages",
        "NoModelError",
        "NotWrittenError",
        "OnAppendError",
        "Original",
        "PromptChangedError",
        "ProviderError",
        "SendRunningError",
        "StorageUnavailableError",
        "StoredMessage",
        "ThrottledError",
        "ToolCall",
        "TurnDoneError",
        "TurnFailedError",
        "UnknownOutcomeError",
        "WrittenError",
        "from_anthropic",
        "from_bedrock",
        "from_langchain",
        "from_openai",
    },
    "messagelog.chat": {
        "Chat",
        "ChatConfig",
        "ChatRole",
        "ChatService",
        "HandoffStrategy",
        "Hook",
        "HookMessageWriter",
        "MessageQueue",
        "Origin",
        "Prompt",
        "PromptContainer",
        "Tool",
        "ToolEvent",
        "ToolPackage",
        "ToolSuite",
    },
    "messagelog.dynamodb": {"Counters", "DynamoDBStorage", "Retry", "default_client"},
}
PATHS = [
    ("messagelog.memory", "MemoryStorage"),
    ("messagelog.chat.dynamodb", "DynamoDBChatState"),
    ("messagelog.chat.memory", "MemoryChatState"),
]


@pytest.mark.parametrize("module", EXPORTS)
def test_the_exported_names_are_exactly_the_pinned_ones(module: str) -> None:
    exported = import_module(module).__all__
    assert exported == sorted(EXPORTS[module])


@pytest.mark.parametrize(("module", "name"), [(module, name) for module in EXPORTS for name in sorted(EXPORTS[module])])
def test_every_exported_name_can_be_imported(module: str, name: str) -> None:
    """Some names are imported only when they are used, so an import of the package would not find a wrong one."""
    assert getattr(import_module(module), name).__name__ == name


@pytest.mark.parametrize(("module", "name"), PATHS)
def test_the_other_promised_import_paths_exist(module: str, name: str) -> None:
    assert getattr(import_module(module), name).__name__ == name


@pytest.mark.parametrize("module", EXPORTS)
def test_dir_shows_every_exported_name_before_its_first_use(module: str) -> None:
    """Tab completion asks `dir`. A new process has used no name yet."""
    command = [sys.executable, "-c", f"import {module} as it; print(*dir(it))"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "layers/messagelog")}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    assert EXPORTS[module] <= set(done.stdout.split())


@pytest.mark.parametrize("module", ["messagelog", "messagelog.chat"])
def test_an_unknown_name_is_an_attribute_error(module: str) -> None:
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = import_module(module).nothing
