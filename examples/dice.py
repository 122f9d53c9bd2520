"""Gives every chat a tool and a hook: `CHAT_SETUP=examples.dice:setup`."""

from __future__ import annotations

import random
from typing import Any

from aws_lambda_powertools.logging import Logger
from messagelog import StoredMessage
from messagelog.chat import ChatService, Tool, ToolPackage

logger = Logger(child=True)


class DicePackage(ToolPackage):
    """Dice for the model to roll."""

    def tools(self) -> list[Tool]:
        parameters = {"type": "object", "properties": {"sides": {"type": "integer"}}, "required": ["sides"]}
        return [Tool("roll_dice", "Rolls a die and tells the number.", parameters, roll)]

    def tutorial(self) -> str:
        return "Never make up a number: roll."


def roll(args: Any) -> int:
    """A number from 1 to the number of sides. What it raises, the model is told."""
    return random.SystemRandom().randint(1, args["sides"])


def note(message: StoredMessage) -> None:
    """Logs that the model has spoken, and not what it said."""
    logger.info("answered", extra={"seq": message.seq, "characters": len(message.content)})


def setup(service: ChatService) -> None:
    """Called for each turn, with the conversation's own service."""
    service.tools().add(DicePackage())
    service.hook().message("assistant").do(note)
