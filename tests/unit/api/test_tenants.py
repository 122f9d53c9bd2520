"""Tenants: which claims name one, and that no two pairs of tenant and conversation share a key."""

from __future__ import annotations

import string
from itertools import product
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from messagelog import MessageLog
from messagelog.api import Request
from messagelog.api.problems import RequestError
from messagelog.api.tenants import partition_key, tenant_of
from messagelog.memory import MemoryStorage
from messagelog.names import is_printable_name

NAMES = st.text(st.sampled_from("ab/:|#%\\\"' \u200d\u200c[]é"), min_size=1, max_size=6).filter(is_printable_name)
ANY_NAMES = st.one_of(NAMES, st.text(min_size=1, max_size=6).filter(is_printable_name))


def event(claims: Any) -> dict[str, Any]:
    return {"requestContext": {"authorizer": {"jwt": {"claims": claims, "scopes": None}}}}


@given(st.tuples(ANY_NAMES, ANY_NAMES), st.tuples(ANY_NAMES, ANY_NAMES))
def test_no_two_pairs_share_a_key(one: tuple[str, str], other: tuple[str, str]) -> None:
    assert (partition_key(*one) == partition_key(*other)) == (one == other)


@pytest.mark.parametrize("mark", [*string.punctuation, " ", "\u200d", "\x1f", "\n", "\0"], ids=repr)
def test_not_even_around_what_might_join_them(mark: str) -> None:
    names = [name for name in ("a", mark, f"a{mark}", f"{mark}a", f"a{mark}a", 2 * mark) if is_printable_name(name)]
    pairs = list(product(names, names))
    assert len({partition_key(*pair) for pair in pairs}) == len(pairs)


@given(ANY_NAMES, ANY_NAMES)
def test_no_conversation_without_a_tenant_has_such_a_key(tenant: str, conversation: str) -> None:
    """Not even one whose name a caller chose to look like it."""
    assert not is_printable_name(partition_key(tenant, conversation))


@given(ANY_NAMES)
def test_a_verified_claim_names_the_tenant(name: str) -> None:
    if name.strip() and not name.startswith("["):
        assert tenant_of(event({"custom:tenant": name}), "custom:tenant") == name


@pytest.mark.parametrize(
    "claims",
    [
        None,
        {},
        [],
        "acme",
        {"tenant": None},
        {"tenant": ""},
        {"tenant": "  "},
        {"tenant": 7},
        {"tenant": ["acme"]},
        {"tenant": "[acme other]"},
        {"tenant": "acme\x1fother"},
        {"tenant": "acme\n"},
        {"tenant": "\ud800"},
        {"tenant": "x" * 257},
        {"Tenant": "acme"},
    ],
    ids=repr,
)
def test_a_claim_that_names_no_tenant_is_refused(claims: Any) -> None:
    with pytest.raises(RequestError) as refused:
        tenant_of(event(claims), "tenant")
    assert refused.value.status == 403


@pytest.mark.parametrize("sent", [{}, {"requestContext": None}, {"requestContext": {"authorizer": {"iam": {}}}}])
def test_a_caller_without_a_token_has_no_tenant(sent: dict[str, Any]) -> None:
    with pytest.raises(RequestError):
        tenant_of(sent, "tenant")


def test_the_caller_cannot_choose_the_tenant(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MESSAGELOG_TENANT_CLAIM", "tenant")
    sent = {
        "pathParameters": {"conversation": "c", "tenant": "other"},
        "queryStringParameters": {"tenant": "other"},
        "headers": {"tenant": "other", "x-tenant": "other"},
        "body": '{"tenant": "other"}',
        **event({"tenant": "mine"}),
    }
    opened: list[str] = []
    request = Request(sent, lambda key: opened.append(key) or MessageLog(MemoryStorage()))  # type: ignore[func-returns-value]
    assert request.log.count() == 0
    assert opened == [request.partition_key] == [partition_key("mine", "c")]


def test_without_a_claim_the_key_is_the_conversation(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MESSAGELOG_TENANT_CLAIM", "")
    request = Request({"pathParameters": {"conversation": "c"}}, lambda _: MessageLog(MemoryStorage()))
    assert request.partition_key == "c"
