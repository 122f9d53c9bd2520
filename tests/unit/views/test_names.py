"""Ids and names: a legal one stays, any other is replaced, and two never become one."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from messagelog.views import anthropic, bedrock, openai
from messagelog.views.names import Ids, Names

LEGAL = {"anthropic": anthropic.LEGAL_ID, "bedrock": bedrock.LEGAL_ID, "openai": openai.LEGAL_ID}
every_provider = pytest.mark.parametrize("legal", LEGAL.values(), ids=LEGAL)


@every_provider
@given(ids=st.lists(st.text(max_size=3) | st.sampled_from(["a_1_0", "a", "a_1_0_", "i" * 41, "i" * 65]), max_size=12))
def test_ids_are_legal_and_each_is_used_once(legal: str, ids: list[str]) -> None:
    made = Ids(legal)
    found = [made.of(id, seq, 0) for seq, id in enumerate(ids)]
    assert len(set(found)) == len(ids)
    assert all(re.fullmatch(legal, id) for id in found)


@every_provider
def test_a_legal_id_stays_and_a_repeated_one_is_made_from_it(legal: str) -> None:
    ids = Ids(legal)
    assert [ids.of("call_9-A", 1, 0), ids.of("call_9-A", 7, 1)] == ["call_9-A", "call_9-A_7_1"]


@every_provider
def test_a_made_id_is_not_used_again(legal: str) -> None:
    ids = Ids(legal)
    found = [ids.of("a", 1, 0), ids.of("a", 2, 0), ids.of("a_2_0", 3, 0), ids.of("a", 2, 0)]
    assert len(set(found)) == 4


@every_provider
def test_a_made_id_may_already_be_in_use(legal: str) -> None:
    ids = Ids(legal)
    taken = "i" * 36 + "_2_0"
    assert ids.of(taken, 1, 0) == taken
    assert ids.of(taken, 2, 0) != taken


@pytest.mark.parametrize(
    ("legal", "kept", "replaced"),
    [
        (openai.LEGAL_ID, ["x" * 40, "fc.1:2|ä"], ["", " ", "\n", "x" * 41]),
        (anthropic.LEGAL_ID, ["x" * 500], ["", "a.b", "ä", "a\n"]),
        (bedrock.LEGAL_ID, ["x" * 64], ["", "a.b", "x" * 65, "a\n"]),
    ],
    ids=["openai", "anthropic", "bedrock"],
)
def test_each_provider_has_its_own_legal_ids(legal: str, kept: list[str], replaced: list[str]) -> None:
    assert [Ids(legal).of(id, 1, 0) for id in kept] == kept
    assert all(re.fullmatch(r"[a-zA-Z0-9_-]{1,40}", Ids(legal).of(id, 1, 0)) for id in replaced)
    assert not any(Ids(legal).of(id, 1, 0) == id for id in replaced)


MADE = Names(64).of("Ann Lee")
ODD_NAMES = ["Ann Lee", "Ann_Lee", "Ann Lee!", "n" * 65, MADE, MADE + "!"]
name_lists = st.lists(st.text(min_size=1, max_size=70) | st.sampled_from(ODD_NAMES), unique=True)


@given(names=name_lists)
def test_names_are_legal_and_two_never_become_one(names: list[str]) -> None:
    made = Names(64)
    found = [made.of(name) for name in names]
    assert all(re.fullmatch(r"[a-zA-Z0-9_-]{1,64}", name) for name in found)
    assert len(set(found)) == len(names)


@given(names=name_lists)
def test_names_that_were_made_stay(names: list[str]) -> None:
    made, again = Names(64), Names(64)
    found = [made.of(name) for name in names]
    assert [again.of(name) for name in found] == found


@pytest.mark.parametrize("given", [["Ann Lee", MADE], [MADE, "Ann Lee"]], ids=["made first", "given first"])
def test_a_made_name_may_already_be_in_use(given: list[str]) -> None:
    names = Names(64)
    found = [names.of(name) for name in given]
    assert found[0] == MADE
    assert found[1] != MADE
    assert [names.of(name) for name in given] == found


def test_a_name_does_not_depend_on_the_names_before_it() -> None:
    later = Names(64)
    later.of("Ann_Lee")
    assert later.of("Ann Lee") == Names(64).of("Ann Lee")


@pytest.mark.parametrize(
    "name", ["bot-1", "mcp__server__tool", "mcp_search__3f2a9c01d4e7", "550e8400-e29b-41d4-a716-446655440000", "n" * 64]
)
def test_a_legal_name_stays(name: str) -> None:
    assert Names(64).of(name) == name


@pytest.mark.parametrize("legal", [r"(?s)(?=.*\S).{1,40}", r"[a-zA-Z0-9_-]{1,64}"])
def test_an_id_is_found_after_many_that_are_in_use(legal: str) -> None:
    """Each of the first 200 ids that would be made for the last call is already in use."""
    ids = Ids(legal)
    place = "_1_99"
    taken = ["x", f"x{place}", *(f"x{place}_{number}" for number in range(1, 200))]
    assert [ids.of(id, 1, position) for position, id in enumerate(taken)] == taken
    assert ids.of("x", 1, 99) not in taken
