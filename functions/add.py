"""Appends a message of a role and a text."""

from messagelog.api import Reply, Request, created, operation


@operation("POST /conversations/{conversation}/messages/{role}")
def handler(request: Request) -> Reply:
    seq = request.log.add(
        request.role,
        request.content(),
        expected_count=request.expected_count,
        idempotency_key=request.idempotency_key,
    )
    return created(seq)
