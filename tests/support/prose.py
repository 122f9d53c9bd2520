"""Finds the prose of the repository, and the constructions in it that a learner of English has to read twice.

Prose is Markdown outside of code, docstrings, comments, the texts in shipped code (error texts above all), the names of
tests, the descriptions in YAML, and the help and messages of the Makefile.
"""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import yaml

# A sentence begins with a text, a paragraph or a list item, or after a stop. A question may begin with any word.
_BEGIN = r"(?:\A|\n\s*\n|\n\s*(?:[-*]|\d+\.)\s|[.;:!?]\s)\s*"
_NO_QUESTION = r"(?![^.!?]*\?)"
_ODD = re.compile(
    "|".join(
        [
            r"\b(?:is|are|was|were|be|been)\s+no\s+[a-z]+",
            r"\bbehind\b",
            rf"(?:{_BEGIN}Who|[,;:(]\s+who)\b{_NO_QUESTION}",
            rf"{_BEGIN}What\s+(?!it\b|you\b|to\b){_NO_QUESTION}",
            rf"{_BEGIN}Nor\b",
            r"\banew\b",
            r"\bfor\s+ever\b",
            r"\bheed(?:s|ed|ing)?\b",
            r"\bmend(?:s|ed|ing)?\b",
            r"\bfor\s+want\s+of\b",
            r"\bgr[eo]ws?\s+dear\b",
        ]
    )
)
_CODE = re.compile(r"``[^`]+``|`[^`]+`")
_FENCE = re.compile(r"^( *)```.*?^\1```", re.DOTALL | re.MULTILINE)
_LINK_TARGET = re.compile(r"(?<=\])\([^)\s]+\)|<https?://[^>]+>")
_FOLDERS = (".github", "benchmarks", "docs", "events", "examples", "functions", "layers", "local", "tests")


@dataclass(frozen=True)
class Prose:
    """A piece of prose, and the line of its file on which it begins."""

    path: str
    line: int
    text: str


@dataclass(frozen=True)
class Hit:
    """An odd construction, and where it stands."""

    path: str
    line: int
    words: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.words}"


def hits(prose: Prose) -> Iterator[Hit]:
    """Yields the odd constructions of a text. Code in backticks does not count."""
    text = _blank(_CODE, prose.text, "x").replace("**", "  ")
    for found in _ODD.finditer(text):
        begin = found.end() - len(found[0].lstrip(" \n.,;:!?(-*0123456789"))
        line = prose.line + text.count("\n", 0, begin)
        yield Hit(prose.path, line, " ".join(text[begin : begin + 60].split()))


def count_words(prose: Prose) -> int:
    """Returns the number of words of a text."""
    return len(re.findall(r"[^\W\d_]+(?:['’-][^\W\d_]+)*", prose.text))


def prose_below(root: Path) -> Iterator[Prose]:
    """Yields all prose of the repository at `root`."""
    inside = [path for folder in _FOLDERS for path in sorted((root / folder).rglob("*"))]
    for path in [*sorted(root.iterdir()), *inside]:
        reader = READERS.get(path.name) or READERS.get(path.suffix)
        if reader and path.is_file():
            name = path.relative_to(root).as_posix()
            for line, text in reader(name, path.read_text(encoding="utf-8")):
                yield Prose(name, line, text)


def markdown(_: str, text: str) -> Iterator[tuple[int, str]]:
    """Yields the whole text without its code blocks and the addresses of its links."""
    yield 1, _blank(_LINK_TARGET, _blank(_FENCE, text))


def python(name: str, text: str) -> Iterator[tuple[int, str]]:
    """Yields docstrings and comments; of tests also the names, of other code also the texts of four words or more."""
    yield from _comments(_python_comments(text))
    is_test = name.startswith("tests/")
    tree = ast.parse(text)
    documented = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    docstrings = {
        id(node.body[0].value)
        for node in ast.walk(tree)
        if isinstance(node, documented) and ast.get_docstring(node, clean=False)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef) and is_test and node.name.startswith("test_"):
            yield node.lineno, node.name.removeprefix("test_").replace("_", " ").capitalize()
        elif isinstance(node, ast.Constant) and (id(node) in docstrings or (not is_test and _is_text(node.value))):
            yield node.lineno, node.value


def yaml_text(_: str, text: str) -> Iterator[tuple[int, str]]:
    """Yields comments, and the values of keys that describe something."""
    yield from hash_comments(_, text)
    described = re.compile(r"(?i).*(?:description|summary|title|label|placeholder|about)$")
    for document in yaml.compose_all(text, Loader=yaml.SafeLoader):
        nodes = [document]
        while nodes:
            node = nodes.pop()
            if isinstance(node, yaml.SequenceNode):
                nodes += node.value
            elif isinstance(node, yaml.MappingNode):
                nodes += [value for _, value in node.value]
                for key, value in node.value:
                    if described.match(str(key.value)) and isinstance(value, yaml.ScalarNode):
                        yield value.start_mark.line + 1, value.value


def hash_comments(_: str, text: str) -> Iterator[tuple[int, str]]:
    """Yields the comments of a language in which they begin with `#`."""
    found = re.compile(r"(?:^|\s)#+ (.*)")
    lines = enumerate(text.splitlines(), start=1)
    yield from _comments((line, match[1]) for line, content in lines if (match := found.search(content)))


def makefile(_: str, text: str) -> Iterator[tuple[int, str]]:
    """Yields comments, the help of each target, and the messages."""
    yield from hash_comments(_, text)
    for line, content in enumerate(text.splitlines(), start=1):
        if said := re.match(r"\s*@echo '(.*)'", content):
            yield line, said[1]


Reader = Callable[[str, str], Iterator[tuple[int, str]]]
READERS: dict[str, Reader] = {
    ".md": markdown,
    ".py": python,
    ".yaml": yaml_text,
    ".yml": yaml_text,
    ".toml": hash_comments,
    ".sh": hash_comments,
    "Makefile": makefile,
    "find-python": hash_comments,
}


def _blank(pattern: re.Pattern[str], text: str, filling: str = " ") -> str:
    """Fills each match, so that every line keeps its number and every character its place."""
    return pattern.sub(lambda match: re.sub(r"\S", filling, match[0]), text)


def _is_text(value: object) -> bool:
    return isinstance(value, str) and len(value.split()) > 3


def _python_comments(text: str) -> Iterator[tuple[int, str]]:
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT:
            yield token.start[0], token.string.lstrip("#").strip()


def _comments(lines: Iterator[tuple[int, str]]) -> Iterator[tuple[int, str]]:
    """Joins the comments of lines that follow each other."""
    begin, text, last = 0, "", -1
    for line, comment in lines:
        if line == last + 1:
            text += f"\n{comment}"
        else:
            if text:
                yield begin, text
            begin, text = line, comment
        last = line
    if text:
        yield begin, text
