"""The rule for the names of new conversations. It is the same in the library and over HTTP.

A name has to fit into one segment of a path. An HTTP API of API Gateway decodes the path before it looks for a route,
so a `/` in a name makes two segments, which no route matches. It cuts the decoded path at a `?`. (The developer guide,
"Create routes for HTTP APIs", says that parameters are decoded. The cut was seen in captures of a live API:
github.com/middleapi/standard-server/pull/93.) HTTP clients remove the segments `.` and `..` (RFC 3986, section 5.2.4).

A log continues to read conversations whose names were legal before this rule.
"""

from __future__ import annotations

import re
from typing import TypeGuard

MAX_NAME_BYTES = 256
TENANT_SEPARATOR = "\x1f"  # ASCII's unit separator: it is not printable, and so in no name
CONVERSATION_RULE = f"is printable text of 1 to {MAX_NAME_BYTES} UTF-8 bytes, without / and ?, and not '.' or '..'"

_JOINERS = re.compile("[\u200c\u200d]")  # they are not printable, but they are part of words and of emoji
_NOT_IN_A_SEGMENT = re.compile("[/?]")


def is_printable_name(text: object) -> TypeGuard[str]:
    """Whether this is printable text of 1 to 256 UTF-8 bytes, so that it can name a conversation or a tenant."""
    return (
        type(text) is str
        and text != ""
        and _JOINERS.sub("", text).isprintable()
        and len(text.encode(errors="replace")) <= MAX_NAME_BYTES
    )


def is_conversation_name(text: object) -> TypeGuard[str]:
    """Whether this can name a new conversation."""
    return is_printable_name(text) and not _NOT_IN_A_SEGMENT.search(text) and text not in (".", "..")


def check_conversation_name(name: object) -> None:
    """Refuses a name that a new conversation cannot have.

    Raises:
        ValueError: The name breaks the rule. The error does not quote it.
    """
    if not is_conversation_name(name):
        raise ValueError(f"a conversation name {CONVERSATION_RULE}")


def check_new_partition(key: str) -> None:
    """Refuses the partition key of a new conversation whose name breaks the rule.

    Args:
        key: The name, after the tenant and `TENANT_SEPARATOR` if there are tenants.

    Raises:
        ValueError: The name breaks the rule. The error does not quote it.
    """
    check_conversation_name(key.rpartition(TENANT_SEPARATOR)[2])
