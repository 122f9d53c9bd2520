"""What the tests of this folder share."""

from tests.chats import model, talk
from tests.tables import on_ministack, on_moto

__all__ = ["model", "on_ministack", "on_moto", "talk"]
