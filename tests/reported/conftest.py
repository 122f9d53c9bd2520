"""Fixtures for the tests of this folder."""

from tests.support.tables import on_ministack, on_moto

__all__ = ["on_ministack", "on_moto"]
