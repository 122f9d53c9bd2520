"""Does the turn that a send has started; invoked asynchronously."""

from messagelog.api.worker import Turn, worker


@worker
def handler(turn: Turn) -> None:
    turn.service.send(holder=turn.holder, if_due=True)
