"""The rule for the names of new conversations."""

from __future__ import annotations

import sys
import unicodedata
from typing import Any
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st
from messagelog.names import check_conversation_name, is_conversation_name, is_printable_name

from local.gateway import Router
from local.template import ROOT, Function, Route

GOOD = {
    "plain": "support-4711",
    "dots": "...",
    "dot in it": ".a",
    "percent": "a%2Fb%00",
    "quotes": '"it\'s" `x`',
    "backslash": "a\\b",
    "space": " a b ",
    "reserved": "a:b#c&d=e;f+g@h",
    "emoji": "😀",
    "emoji of many parts": "👩‍👩‍👧‍👦🏳️‍🌈",
    "joiners in words": "می‌خواهم",
    "combining": "e\u0301",
    "hebrew": "שלום",
    "256 bytes": "x" * 256,
    "256 bytes of emoji": "😀" * 64,
}
BAD: dict[str, Any] = {
    "empty": "",
    "dot": ".",
    "dots": "..",
    "slash": "a/b",
    "only a slash": "/",
    "question mark": "a?b",
    "257 bytes": "x" * 257,
    "257 bytes of two each": "é" * 128 + "x",
    "nul": "\0",
    "newline": "a\nb",
    "tab": "a\tb",
    "escape": "\x1b[31m",
    "delete": "\x7f",
    "c1": "\x9b",
    "line separator": "a\u2028b",
    "direction": "\u202eabc",
    "byte order mark": "\ufeffa",
    "lone surrogate": "\ud83d",
    "not text": 7,
    "null": None,
    "list": ["a"],
}


@pytest.mark.parametrize("name", GOOD.values(), ids=GOOD)
def test_a_good_name_is_accepted(name: str) -> None:
    assert is_conversation_name(name)
    check_conversation_name(name)


@pytest.mark.parametrize("name", BAD.values(), ids=BAD)
def test_a_bad_name_is_refused_with_the_rule(name: Any) -> None:
    assert not is_conversation_name(name)
    with pytest.raises(ValueError, match="256 UTF-8 bytes, without / and") as refused:
        check_conversation_name(name)
    assert repr(name) not in str(refused.value) or name in ("", ".", "..", "/")


def test_no_control_character_is_part_of_a_name() -> None:
    controls = [
        it for it in map(chr, range(sys.maxunicode + 1)) if unicodedata.category(it) in ("Cc", "Cs", "Zl", "Zp")
    ]
    assert len(controls) > 2_000
    assert not any(is_conversation_name(f"a{control}") for control in controls)


@given(st.text(max_size=300))
def test_a_conversation_name_is_a_printable_name(name: str) -> None:
    assert is_printable_name(name) or not is_conversation_name(name)


@given(st.text(max_size=80).filter(is_printable_name))
def test_exactly_the_accepted_names_reach_their_route(name: str) -> None:
    """A client writes the name into one segment, percent-encoded, as RFC 3986 says."""
    function = Function("F", "f", "handler", ROOT, {}, timeout=3, memory=128)
    router = Router([Route("GET", "/conversations/{conversation}/messages", function)])
    found = router.match("GET", f"/conversations/{quote(name, safe='')}/messages")
    reached = found is not None and found[1] == {"conversation": name}
    assert reached == (is_conversation_name(name) or name in (".", ".."))
