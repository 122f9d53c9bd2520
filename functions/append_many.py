"""Appends all messages of a batch, or none."""

from messagelog.api import PRECONDITIONS, Reply, Request, created, operation


@operation("POST /conversations/{conversation}/messages/batch", preconditions=PRECONDITIONS)
def handler(request: Request) -> Reply:
    seq = request.log.append_many(
        request.messages(),
        expected_count=request.if_match,
        idempotency_key=request.idempotency_key,
    )
    return created(seq, replay=request.is_replay)
