"""The code blocks of README.md and of the pages in docs/, and how each is run.

    <!-- not run: this needs an AWS account -->   a block after such a line is not run, for that reason
    ```python                                     runs after the Python blocks above it, in the same process
    ```sh                                         runs in bash, with the API that `make run` serves at its usual address
    ```markdown title="prompts/rules.md"          is the content of that file in the working directory
    #> 2                                          in Python or shell: the block prints this line

A block in another language shows something and is not run.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from local.template import ROOT

PAGES = [
    "README.md",
    "CONTRIBUTING.md",
    *sorted(path.relative_to(ROOT).as_posix() for path in (ROOT / "docs").rglob("*.md")),
]
RUNNABLE = ("python", "sh")
_BLOCK = re.compile(
    r'^(?:<!-- not run: (?P<excuse>.+?) -->\n+)?^```(?P<language>\w+)(?: title="(?P<file>[^"]+)")?\n(?P<text>.*?)^```$',
    re.DOTALL | re.MULTILINE,
)
_SHOWN = re.compile(r"^#> ?(.*\n)", re.MULTILINE)


@dataclass(frozen=True)
class Block:
    """A code block: where it stands, its language, its text, the file it is, and why it is not run."""

    page: str
    line: int
    language: str
    text: str
    file: str | None
    excuse: str | None

    @property
    def is_run(self) -> bool:
        return self.language in RUNNABLE and not self.excuse

    @property
    def shown(self) -> str:
        """The output that the block shows."""
        return "".join(_SHOWN.findall(self.text))

    def __str__(self) -> str:
        return f"{self.page}:{self.line}"


def blocks(page: str, language: str | None = None) -> Iterator[Block]:
    """Yields the blocks of a page, or those of them in one language that are run."""
    text = (ROOT / page).read_text(encoding="utf-8")
    for found in _BLOCK.finditer(text):
        line = text.count("\n", 0, found.start("text"))
        block = Block(page, line, found["language"], found["text"], found["file"], found["excuse"])
        if language is None or (block.is_run and block.language == language):
            yield block


def pages_with(language: str) -> list[str]:
    """Returns the pages that have a block in this language that is run."""
    return [page for page in PAGES if any(blocks(page, language))]
