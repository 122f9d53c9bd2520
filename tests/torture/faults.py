"""A client that fails at random, in every way that a network and DynamoDB fail."""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass

import urllib3
from botocore.awsrequest import AWSPreparedRequest, AWSResponse
from botocore.exceptions import ReadTimeoutError

from tests.support.faulty import (
    LostReply,
    LostRequest,
    Ok,
    Outcome,
    Request,
    Unreachable,
    cancelled,
    in_progress,
    server_error,
    throttled,
)


@dataclass(frozen=True)
class Slow(Outcome):
    """The request is done, after a while."""

    seconds: float

    def send(self, request: AWSPreparedRequest) -> AWSResponse | None:
        time.sleep(self.seconds)
        return None


@dataclass(frozen=True)
class Late(Outcome):
    """The client has given the request up when it arrives: it is done then, behind all that was sent meanwhile."""

    seconds: float

    def send(self, request: AWSPreparedRequest) -> AWSResponse | None:
        method, url, body, headers = request.method, request.url, request.body, dict(request.headers.items())

        def arrive() -> None:
            try:
                urllib3.request(method, url, body=body, headers=headers, retries=False, timeout=10)
            except urllib3.exceptions.HTTPError:
                return  # the run is over

        timer = threading.Timer(self.seconds, arrive)
        timer.daemon = True
        timer.start()
        raise ReadTimeoutError(endpoint_url=url)


_EACH: dict[str, Callable[[Request], Outcome]] = {
    "lost request": lambda _: LostRequest(),
    "lost reply": lambda _: LostReply(),
    "late request": lambda _: Late(random.uniform(0.001, 0.2)),
    "slow": lambda _: Slow(random.uniform(0.005, 0.1)),
    "throttled": lambda _: throttled(),
    "server error": lambda _: server_error(random.choice((500, 503))),
    "unreachable": lambda _: Unreachable(),
}
_OF_TRANSACTIONS: dict[str, Callable[[Request], Outcome]] = {
    "conflict": lambda request: cancelled("TransactionConflict", *others(request)),
    "throttled row": lambda request: cancelled(*others(request), "ThrottlingError"),
    "in progress": lambda _: in_progress(),
}


def others(request: Request) -> list[str]:
    """The reasons of all actions of a transaction but one."""
    return ["None"] * (len(request.parameters["TransactItems"]) - 1)


def random_fault(share: float, tell: Callable[[str], None]) -> Callable[[Request], Outcome]:
    """What `Faulty` chooses by: this share of all requests fails, each kind of fault as often. `tell` hears of each."""

    def choose(request: Request) -> Outcome:
        if random.random() >= share:
            return Ok()
        kinds = _EACH | (_OF_TRANSACTIONS if request.operation == "TransactWriteItems" else {})
        kind = random.choice(list(kinds))
        tell(kind)
        return kinds[kind](request)

    return choose
