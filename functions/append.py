"""Appends a message."""

from messagelog.api import PRECONDITIONS, Reply, Request, created, operation


@operation("POST /conversations/{conversation}/messages", preconditions=PRECONDITIONS)
def handler(request: Request) -> Reply:
    seq = request.log.append(
        request.message(),
        expected_count=request.if_match,
        idempotency_key=request.idempotency_key,
    )
    return created(seq, replay=request.is_replay)
