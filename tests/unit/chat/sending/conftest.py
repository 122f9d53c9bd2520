"""Conversations with a scripted model over real HTTP."""

from tests.support.chats import model, talk

__all__ = ["model", "talk"]
