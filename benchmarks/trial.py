"""The measurements that are the same for each store: costs, contention and the race."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from typing import Any

from benchmarks import contention, costs
from benchmarks.capacity import Cost
from benchmarks.contention import Contention, contend
from benchmarks.meter import Meter
from benchmarks.stores import Store


@dataclass(frozen=True)
class Plan:
    """How much to measure."""

    lengths: tuple[int, ...] = costs.LENGTHS
    writers: tuple[int, ...] = contention.WRITERS
    race_appends: int = contention.RACE_APPENDS  # of each of its writers


QUICK = Plan(lengths=(1, 10, 100), writers=(1, 8), race_appends=5)


@dataclass
class Trial:
    """The results of a store. A text in place of a cost says why it is missing; `unavailable`, why all are missing."""

    store: str
    costs: dict[str, dict[int, Cost | str]] = field(default_factory=dict)
    contention: list[Contention] = field(default_factory=list)
    race: Contention | None = None
    unavailable: str = ""

    def to_json(self) -> dict[str, Any]:
        """Return the trial as plain values."""
        return asdict(self)

    @classmethod
    def from_json(cls, form: dict[str, Any]) -> Trial:
        """Return the trial from the values of `to_json`, which may have been JSON text."""
        return cls(
            store=form["store"],
            costs={
                operation: {int(length): _cost(cost) for length, cost in by_length.items()}
                for operation, by_length in form["costs"].items()
            },
            contention=[Contention(**result) for result in form["contention"]],
            race=form["race"] and Contention(**form["race"]),
            unavailable=form["unavailable"],
        )


def run(make: Callable[[], Store], name: str, meter: Meter, plan: Plan, *, metered: bool = True) -> Trial:
    """Measure one store. If it cannot be made, the trial says why."""
    trial = Trial(name)
    try:
        store = make()
        if metered:
            trial.costs = costs.measure(store, meter, plan.lengths).costs
        trial.race = contend(store, meter, writers=contention.RACE_WRITERS, each=plan.race_appends)
        trial.contention = [
            contend(store, meter, writers=writers, each=contention.APPENDS // writers) for writers in plan.writers
        ]
    except Exception as error:
        trial.unavailable = f"{type(error).__name__}: {str(error)[:200]}"
    return trial


def _cost(form: Any) -> Cost | str:
    return Cost(**form) if isinstance(form, dict) else str(form)
