"""A prompt tree, and a chat state that counts its writes, for tests."""

from __future__ import annotations

from messagelog.chat import PromptContainer
from messagelog.chat.memory import MemoryChatState
from messagelog.chat.states.state import System


class CountingState(MemoryChatState):
    """Counts the writes of the tree. `before_write` is called before each write."""

    def __init__(self) -> None:
        super().__init__()
        self.writes = 0
        self.before_write = lambda: None

    def put_system(self, tree: str, *, version: int) -> System:
        self.before_write()
        self.writes += 1
        return super().put_system(tree, version=version)


AS_THE_CONTRACT_SAYS = """\
general
    persona
        You are a pirate.
        Speak so.
tutorials
    Tool Package WeatherPackage
        Applicability
            greet, weather
        Tutorial
            Use greet first."""


def tree() -> PromptContainer:
    """The tree of the contract's example."""
    root = PromptContainer()
    root.child("general").prompt("persona").set_content("You are a pirate.\nSpeak so.")
    package = root.child("tutorials").child("Tool Package WeatherPackage")
    package.prompt("Applicability").set_content("greet, weather")
    package.prompt("Tutorial").set_content("Use greet first.")
    return root
