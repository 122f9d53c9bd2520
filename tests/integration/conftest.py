"""Fixtures for the tests of this folder."""

from tests.support.chat_functions import chat_api, chat_table, scripted, state, work
from tests.support.chats import model, talk
from tests.support.tables import on_ministack, on_moto

__all__ = ["chat_api", "chat_table", "model", "on_ministack", "on_moto", "scripted", "state", "talk", "work"]
