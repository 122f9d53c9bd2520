"""What the tests of this folder share."""

from tests.support.tables import on_ministack

__all__ = ["on_ministack"]
