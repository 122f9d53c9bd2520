"""Sizes and units, calculated by hand from DynamoDB's documents, and the prices in ours."""

from __future__ import annotations

from typing import Any

import pytest

from benchmarks.capacity import (
    DOLLARS_A_GB_MONTH,
    DOLLARS_A_GB_MONTH_OF_RECOVERY,
    Cost,
    item_size,
    monthly_dollars,
    query_units,
    read_units,
    write_units,
)
from local.template import ROOT

KB = 1024


@pytest.mark.parametrize(
    ("value", "size"),
    [
        ({"S": ""}, 0),
        ({"S": "aä漢"}, 6),
        ({"N": "0"}, 1),
        ({"N": "7"}, 2),
        ({"N": "12345"}, 4),
        ({"N": "-12345"}, 5),
        ({"N": "120000"}, 2),
        ({"N": "0.0012"}, 2),
        ({"N": "1764504000000000"}, 5),
        ({"B": "AAAA"}, 3),
        ({"B": b"AAAA"}, 4),
        ({"BOOL": False}, 1),
        ({"NULL": True}, 1),
        ({"SS": ["a", "bc"]}, 3),
        ({"NS": ["1", "100"]}, 4),
        ({"L": []}, 3),
        ({"L": [{"S": "ab"}, {"BOOL": True}]}, 3 + 1 + 2 + 1 + 1),
        ({"M": {"key": {"S": "ab"}}}, 3 + 1 + 3 + 2),
    ],
    ids=str,
)
def test_an_attribute_has_the_size_of_its_name_and_value(value: dict[str, Any], size: int) -> None:
    assert item_size({"ä": value}) == 2 + size


def test_an_unknown_type_has_no_size() -> None:
    with pytest.raises(ValueError, match="X is not a type"):
        item_size({"a": {"X": ""}})


def test_a_query_adds_sizes_before_it_rounds_them() -> None:
    sizes = [1, 4 * KB, 4 * KB + 1]
    assert read_units(sizes, strong=True) == 4
    assert read_units(sizes, strong=False) == 2
    assert read_units(sizes, strong=True, transaction=True) == 8
    assert query_units(sizes, strong=True) == 3
    assert query_units([], strong=False) == 0.5
    assert read_units([0], strong=True) == 1


def test_writes_are_rounded_up_and_doubled_in_a_transaction() -> None:
    assert write_units([0, KB, KB + 1]) == 4
    assert write_units([0, KB, KB + 1], transaction=True) == 8


def test_costs_add_up_and_have_a_price() -> None:
    cost = Cost(1, 2, 3, 4, 5) + Cost(1, 0, 0, 0, 1)
    assert cost == Cost(2, 2, 3, 4, 6)
    assert cost / 2 == Cost(1, 1, 1.5, 2, 3)
    assert Cost(0, 8e6, 2e6).dollars == 2.25


def test_the_documents_price_storage_with_recovery() -> None:
    costs, scale = ((ROOT / "docs" / name).read_text() for name in ("costs.md", "scale.md"))
    assert f"| the table | ${DOLLARS_A_GB_MONTH:.2f} |" in costs
    assert f"| point-in-time recovery, which both tables have | ${DOLLARS_A_GB_MONTH_OF_RECOVERY:.2f} |" in costs
    assert f"= ${monthly_dollars(0.6e9):.2f} a month" in costs
    assert f"| ${300 * DOLLARS_A_GB_MONTH:.0f} |" in scale
    assert f"| ${300 * DOLLARS_A_GB_MONTH_OF_RECOVERY:.0f} |" in scale
