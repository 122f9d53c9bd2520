"""Does the turn that a send has started; invoked asynchronously."""

from messagelog.api.worker import Invocation, worker


@worker
def handler(invocation: Invocation) -> None:
    invocation.service.resume(invocation.holder)
