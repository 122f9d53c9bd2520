"""Appends all messages of a batch, or none."""

from messagelog.api import Reply, Request, created, operation


@operation("POST /conversations/{conversation}/messages/batch")
def handler(request: Request) -> Reply:
    seq = request.log.append_many(
        request.messages(),
        expected_count=request.expected_count,
        idempotency_key=request.idempotency_key,
    )
    return created(seq)
