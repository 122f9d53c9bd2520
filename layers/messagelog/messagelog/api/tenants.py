"""Who may see which conversations: with a JWT authorizer, those of the tenant that the caller's token names.

The claims come from API Gateway, which has verified the token ("Control access to HTTP APIs with JWT authorizers" in
its developer guide), and never from what the caller sent.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from messagelog.api.problems import RequestError

MAX_NAME_BYTES = 256
_JOINERS = re.compile("[\u200c\u200d]")  # not printable by themselves, but part of words and of emoji
_SEPARATOR = "\x1f"  # ASCII's unit separator: in no name, since it is not printable


def is_name(text: str) -> bool:
    """Whether this can name a conversation or a tenant: printable text of 1 to 256 UTF-8 bytes."""
    return text != "" and _JOINERS.sub("", text).isprintable() and len(text.encode(errors="replace")) <= MAX_NAME_BYTES


def tenant_of(event: Mapping[str, Any], claim: str) -> str:
    """The tenant that the claim of the caller's verified token names. Raises RequestError if it names none.

    API Gateway writes a claim that is a list as `[a b]`, so that two lists may look alike: such a text is refused.
    """
    value: Any = event
    for name in ("requestContext", "authorizer", "jwt", "claims", claim):
        value = value.get(name) if isinstance(value, Mapping) else None
    if type(value) is not str or not is_name(value) or not value.strip() or value.startswith("["):
        detail = f"the token's claim {claim} must name one tenant: printable text of 1 to {MAX_NAME_BYTES} UTF-8 bytes"
        raise RequestError(403, "No tenant", detail)
    return value


def partition_key(tenant: str, conversation: str) -> str:
    """What the tables call a tenant's conversation. No two pairs share one, nor does any name of a conversation alone,
    so that a table keeps tenants apart that has held conversations without."""
    return f"{tenant}{_SEPARATOR}{conversation}"
