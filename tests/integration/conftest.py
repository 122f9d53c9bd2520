"""What the tests of this folder share."""

from tests.chat_functions import chat_api, chat_table, scripted, state, work
from tests.chats import model, talk
from tests.tables import on_ministack, on_moto

__all__ = ["chat_api", "chat_table", "model", "on_ministack", "on_moto", "scripted", "state", "talk", "work"]
