"""A client that fails at random, in every way in which a network, DynamoDB and the machine's clocks fail."""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from uuid import uuid4

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
    refused,
    server_error,
    throttled,
)

_SHARE_OF_FORGOTTEN_TOKENS = 0.8
_SHARE_OF_CLOCK_STEPS = 0.02


@dataclass(frozen=True)
class Slow(Outcome):
    """The request is done after a pause."""

    seconds: float

    def send(self, request: AWSPreparedRequest) -> AWSResponse | None:
        time.sleep(self.seconds)
        return None


@dataclass(frozen=True)
class Late(Outcome):
    """The client gives the request up, and only then it arrives: it is done after requests that were sent later."""

    seconds: float

    def send(self, request: AWSPreparedRequest) -> AWSResponse | None:
        method, url, body, headers = request.method, request.url, request.body, dict(request.headers.items())

        def arrive() -> None:
            try:
                urllib3.request(method, url, body=body, headers=headers, retries=False, timeout=10)
            except urllib3.exceptions.HTTPError:
                return  # the run has ended

        timer = threading.Timer(self.seconds, arrive)
        timer.daemon = True
        timer.start()
        raise ReadTimeoutError(endpoint_url=url)


@dataclass(frozen=True)
class ForgottenToken(Outcome):
    """DynamoDB has forgotten the client token of a transaction that is sent again, and takes it for a new one.

    DynamoDB keeps a token for ten minutes. A machine that sleeps longer between two tries does not notice, because its
    monotonic clock stands still meanwhile.
    """

    token: str
    outcome: Outcome

    def send(self, request: AWSPreparedRequest) -> AWSResponse | None:
        assert isinstance(request.body, bytes)
        request.body = request.body.replace(self.token.encode(), str(uuid4()).encode())  # as long as the old one
        return self.outcome.send(request)

    def receive(self) -> None:
        self.outcome.receive()


_UNANSWERED: dict[str, Callable[[Request], Outcome]] = {
    "lost request": lambda _: LostRequest(),
    "lost reply": lambda _: LostReply(),
    "late request": lambda _: Late(random.uniform(0.001, 0.2)),
    "server error": lambda _: server_error(random.choice((500, 503))),
}
_ANSWERED: dict[str, Callable[[Request], Outcome]] = {
    "slow": lambda _: Slow(random.uniform(0.005, 0.1)),
    "throttled": lambda _: throttled(),
    "expired signature": lambda _: refused("InvalidSignatureException"),
    "unreachable": lambda _: Unreachable(),
}
_OF_TRANSACTIONS: dict[str, Callable[[Request], Outcome]] = {
    "conflict": lambda request: cancelled("TransactionConflict", *_others(request)),
    "throttled row": lambda request: cancelled(*_others(request), "ThrottlingError"),
    "in progress": lambda _: in_progress(),
}
_WEIGHTS = {"lost reply": 5}  # the others have 1: a written append without an answer is the hardest case


def _others(request: Request) -> list[str]:
    """The reasons of all actions of a transaction but one."""
    return ["None"] * (len(request.parameters["TransactItems"]) - 1)


class RandomFaults:
    """Chooses the outcome of each request of one process, for `Faulty`.

    Args:
        share: The share of the requests that fail.
        step_clock: Moves the wall clock of this process.
        report: Called with the kind of each fault.
    """

    def __init__(self, share: float, step_clock: Callable[[], None], report: Callable[[str], None]) -> None:
        self._share = share
        self._step_clock = step_clock
        self._report = report
        self._unanswered_token: str | None = None

    def __call__(self, request: Request) -> Outcome:
        if random.random() < _SHARE_OF_CLOCK_STEPS:
            self._report("clock step")
            self._step_clock()
        kind, outcome = self._fault(request)
        token = request.parameters.get("ClientRequestToken")
        if token is None:
            return outcome
        if token == self._unanswered_token and random.random() < _SHARE_OF_FORGOTTEN_TOKENS:
            self._report("forgotten token")
            outcome = ForgottenToken(token, outcome)
        if kind in _UNANSWERED:
            self._unanswered_token = token
        return outcome

    def _fault(self, request: Request) -> tuple[str, Outcome]:
        if random.random() >= self._share:
            return "", Ok()
        is_transaction = request.operation == "TransactWriteItems"
        kinds = _UNANSWERED | _ANSWERED | (_OF_TRANSACTIONS if is_transaction else {})
        (kind,) = random.choices(list(kinds), [_WEIGHTS.get(kind, 1) for kind in kinds])
        self._report(kind)
        return kind, kinds[kind](request)
