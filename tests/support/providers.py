"""The views with the rules of their providers, for property tests over generated logs."""

from __future__ import annotations

from types import ModuleType
from typing import Any, NamedTuple

import pytest
from hypothesis import strategies as st
from messagelog import StoredMessage
from messagelog.views import anthropic, bedrock, langchain, openai

from tests.providers import anthropic_rules, bedrock_rules, openai_rules
from tests.providers.logs import broken_logs, interrupted_logs, valid_logs

any_log = st.one_of(broken_logs(), interrupted_logs(), valid_logs())


class Provider(NamedTuple):
    """A view and the checker of its provider's rules."""

    view: ModuleType
    rules: ModuleType
    drops_system: bool

    def show(self, log: list[StoredMessage]) -> list[dict[str, Any]]:
        """Returns the view of the log."""
        return [turn.body for turn in self.view.turns(log)]


PROVIDERS = [
    pytest.param(Provider(openai, openai_rules, drops_system=False), id="openai"),
    pytest.param(Provider(anthropic, anthropic_rules, drops_system=True), id="anthropic"),
    pytest.param(Provider(bedrock, bedrock_rules, drops_system=True), id="bedrock"),
]
VIEWS = [pytest.param(view, id=view.__name__) for view in (openai, anthropic, bedrock, langchain)]


def marks_in(text: str) -> list[str]:
    """Returns the marks of a text, in order."""
    return [f"«{part.partition('»')[0]}»" for part in text.split("«")[1:]]
