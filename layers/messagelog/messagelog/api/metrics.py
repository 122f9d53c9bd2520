"""What the functions did, as CloudWatch metrics: one line of the log in the embedded metric format."""

from __future__ import annotations

from aws_lambda_powertools.metrics import EphemeralMetrics, MetricUnit

from messagelog.dynamodb import Counters
from messagelog.errors import UnknownOutcomeError

_NAMESPACE = "MessageLog"


def report(operation: str, counters: Counters, error: Exception | None = None) -> None:
    """Tells what an operation did and with which error it ended: of the operation, and of the whole stack.

    What did not happen is not told: a line costs money, and to an alarm, silence is zero.
    """
    happened = {
        "Appends": counters.appends,
        "Messages": counters.messages,
        "Bytes": counters.bytes,
        "Conflicts": counters.conflicts,
        "Retries": counters.retries,
        "UnknownOutcomes": int(isinstance(error, UnknownOutcomeError)),
    }
    if not any(happened.values()):
        return
    metrics = EphemeralMetrics(namespace=_NAMESPACE)  # one a request: local requests share a process
    metrics.add_dimension("operation", operation)
    if metrics.service:
        metrics.add_dimensions(service=metrics.service)
    for name, value in happened.items():
        if value:
            metrics.add_metric(name, MetricUnit.Bytes if name == "Bytes" else MetricUnit.Count, value)
    metrics.flush_metrics()
