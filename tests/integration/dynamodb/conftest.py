"""Fixtures for the tests of this folder."""

from tests.support.hidden_rows import rows

__all__ = ["rows"]
