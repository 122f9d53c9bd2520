"""Tenants: with a JWT authorizer, a caller reaches only the conversations of the tenant that its token names.

The claims come from API Gateway, which has verified the token ("Control access to HTTP APIs with JWT authorizers" in
its developer guide). Nothing that the caller sends names a tenant.

Tenants are on if the setting for the claim is set, and the authorizer has to agree. CloudFormation updates functions
and authorizer one after the other, so for a while one of them may know about tenants and the other may not. Every
request is refused in that time, because an answer could show one tenant's conversation to another.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from messagelog.api.problems import RequestError
from messagelog.names import MAX_NAME_BYTES, TENANT_SEPARATOR, is_printable_name


def tenant_of(event: Mapping[str, Any], claim: str | None) -> str | None:
    """Returns the tenant that the caller's verified token names.

    Args:
        event: The event of API Gateway.
        claim: The claim that names the tenant; None if the stack has no tenants.

    Returns:
        The tenant, None if the stack has no tenants.

    Raises:
        RequestError: 403, because the token names no tenant, or because a token was verified although the stack has
            no tenants.
    """
    jwt = _member(event, "requestContext", "authorizer", "jwt")
    if claim is None:
        if jwt is not None:
            detail = (
                "a token was verified, but no claim is configured that names the tenant; try again after the update"
            )
            raise RequestError(403, "No tenant", detail, code="TenantClaimNotConfigured")
        return None
    tenant = _member(jwt, "claims", claim)
    # API Gateway writes a claim that is a list as `[a b]`, so two lists may look alike.
    if not is_printable_name(tenant) or not tenant.strip() or tenant.startswith("["):
        detail = f"the token's claim {claim} must name one tenant: printable text of 1 to {MAX_NAME_BYTES} UTF-8 bytes"
        raise RequestError(403, "No tenant", detail, code="TenantClaimMissing" if jwt else "NoToken")
    return tenant


def partition_key(tenant: str, conversation: str) -> str:
    """Returns the name of a tenant's conversation in the tables.

    Two different pairs never have the same name, and a conversation without a tenant never has the name of a pair. So a
    table may hold conversations with and without tenants.
    """
    return f"{tenant}{TENANT_SEPARATOR}{conversation}"


def tenant_in(key: str) -> str | None:
    """Returns the tenant in a name from `partition_key`, None if the name has no tenant."""
    tenant, separator, _ = key.partition(TENANT_SEPARATOR)
    return tenant if separator else None


def _member(value: Any, *path: str) -> Any:
    """The value at the end of a path of keys, None if a part of it is missing."""
    for name in path:
        value = value.get(name) if isinstance(value, Mapping) else None
    return value
