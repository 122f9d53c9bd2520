"""DynamoDB's published arithmetic: the size of an item, and the cost of a request on it and of keeping it.

Sources: "DynamoDB item sizes and formats" and "DynamoDB read and write operations" in the developer guide, and "Pricing
for on-demand capacity" (us-east-1, standard table class; in the AWS Price List, the usage types TimedStorage-ByteHrs
and TimedPITRStorage-ByteHrs). Values are in the wire's form, where binary is base64 text, or in boto3's, where it is
bytes.
"""

from __future__ import annotations

import base64
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, TypeAlias

Item: TypeAlias = Mapping[str, Mapping[str, Any]]

READ_BYTES = 4096
WRITE_BYTES = 1024
DOLLARS_A_MILLION_READS = 0.125
DOLLARS_A_MILLION_WRITES = 0.625
DOLLARS_A_GB_MONTH = 0.25
DOLLARS_A_GB_MONTH_OF_RECOVERY = 0.20  # point-in-time recovery, which is billed by the size of the table


@dataclass(frozen=True, slots=True)
class Cost:
    """The cost of some requests, or of one of them on average. Bytes are those of the bodies."""

    requests: float = 0
    read_units: float = 0
    write_units: float = 0
    bytes_sent: float = 0
    bytes_received: float = 0

    def __add__(self, other: Cost) -> Cost:
        return Cost(
            self.requests + other.requests,
            self.read_units + other.read_units,
            self.write_units + other.write_units,
            self.bytes_sent + other.bytes_sent,
            self.bytes_received + other.bytes_received,
        )

    def __truediv__(self, times: int) -> Cost:
        return Cost(
            self.requests / times,
            self.read_units / times,
            self.write_units / times,
            self.bytes_sent / times,
            self.bytes_received / times,
        )

    @property
    def dollars(self) -> float:
        """The price of the units, on demand."""
        return (self.read_units * DOLLARS_A_MILLION_READS + self.write_units * DOLLARS_A_MILLION_WRITES) / 1e6


def monthly_dollars(size: float) -> float:
    """Return the price of keeping this many bytes for a month, in a table with point-in-time recovery."""
    return size / 1e9 * (DOLLARS_A_GB_MONTH + DOLLARS_A_GB_MONTH_OF_RECOVERY)


def item_size(item: Item) -> int:
    """Return the size of an item in bytes: the sizes of the names and values of its attributes."""
    return sum(len(name.encode()) + _value_size(value) for name, value in item.items())


def read_units(sizes: Iterable[int], *, strong: bool, transaction: bool = False) -> float:
    """Return the units to read items of these sizes one by one: blocks of 4 KB, rounded up, at least one an item."""
    blocks = sum(max(1, -(-size // READ_BYTES)) for size in sizes)
    return blocks * (2 if transaction else 1 if strong else 0.5)


def query_units(sizes: Iterable[int], *, strong: bool) -> float:
    """Return the units of a Query or Scan over items of these sizes: the sizes are added before rounding up."""
    return read_units([sum(sizes)], strong=strong)


def write_units(sizes: Iterable[int], *, transaction: bool = False) -> int:
    """Return the units to write items of these sizes, the larger of before and after: blocks of 1 KB, rounded up."""
    blocks = sum(max(1, -(-size // WRITE_BYTES)) for size in sizes)
    return blocks * (2 if transaction else 1)


def _value_size(value: Mapping[str, Any]) -> int:
    ((kind, content),) = value.items()
    match kind:
        case "S":
            return len(content.encode())
        case "N":
            return _number_size(content)
        case "B":
            return len(content if isinstance(content, bytes) else base64.b64decode(content))
        case "BOOL" | "NULL":
            return 1
        case "SS" | "NS" | "BS":
            return sum(_value_size({kind[0]: element}) for element in content)
        case "L":
            return 3 + sum(1 + _value_size(element) for element in content)
        case "M":
            return 3 + sum(1 + len(name.encode()) + _value_size(element) for name, element in content.items())
    raise ValueError(f"{kind} is not a type of DynamoDB")


def _number_size(text: str) -> int:
    """Return one byte, one for each two significant digits, and one for a sign. Zeros at both ends do not count."""
    sign, digits, _ = Decimal(text).as_tuple()
    significant = "".join(map(str, digits)).strip("0")
    if not significant:
        return 1
    return -(-len(significant) // 2) + 1 + sign
