"""Fixtures for the tests of this folder."""

from tests.support.tables import on_ministack

__all__ = ["on_ministack"]
