"""Metrics of the functions for CloudWatch: one log line in the embedded metric format."""

from __future__ import annotations

from aws_lambda_powertools.metrics import EphemeralMetrics, MetricUnit

from messagelog.dynamodb import Counters
from messagelog.errors import UnknownOutcomeError

_NAMESPACE = "MessageLog"


def report(operation: str, counters: Counters, error: Exception | None = None) -> None:
    """Writes the metrics of one operation, under its name and for the whole stack.

    A metric of zero is left out: a line costs money, and an alarm treats a missing value as zero.

    Args:
        operation: The name of the operation.
        counters: What it did.
        error: The error that ended it.
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
    metrics = EphemeralMetrics(namespace=_NAMESPACE)  # one for each request, because local requests share a process
    metrics.add_dimension("operation", operation)
    if metrics.service:
        metrics.add_dimensions(service=metrics.service)
    for name, value in happened.items():
        if value:
            metrics.add_metric(name, MetricUnit.Bytes if name == "Bytes" else MetricUnit.Count, value)
    metrics.flush_metrics()
