"""Appends a message."""

from messagelog.api import Reply, Request, created, operation


@operation("POST /conversations/{conversation}/messages")
def handler(request: Request) -> Reply:
    seq = request.log.append(
        request.message(),
        expected_count=request.expected_count,
        idempotency_key=request.idempotency_key,
    )
    return created(seq)
