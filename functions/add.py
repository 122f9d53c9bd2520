"""Appends a message of a role and a text."""

from messagelog.api import PRECONDITIONS, Reply, Request, created, operation


@operation("POST /conversations/{conversation}/messages/{role}", preconditions=PRECONDITIONS)
def handler(request: Request) -> Reply:
    seq = request.log.add(
        request.role,
        request.content(),
        expected_count=request.if_match,
        idempotency_key=request.idempotency_key,
    )
    return created(seq, replay=request.is_replay)
