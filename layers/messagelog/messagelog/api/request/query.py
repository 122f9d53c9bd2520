"""The query of a request. A parameter that is given several times arrives joined by commas, and so is refused."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping

from messagelog.api.problems import RequestError

LARGEST = 10**12 - 1


class Query:
    """The query parameters of a request."""

    def __init__(self, parameters: Mapping[str, str | None]) -> None:
        self._parameters = parameters

    def check_names(self, known: Collection[str]) -> None:
        """Refuses parameters that the operation does not know, because a misspelt one would be ignored silently.

        Raises:
            RequestError: 400, with the name of the parameter as the path.
        """
        for name in self._parameters:
            if name not in known:
                accepted = f"the parameters are {', '.join(known)}" if known else "this operation takes no parameters"
                raise RequestError(400, "Unknown query parameter", accepted, name)

    def number(self, name: str, *, minimum: int = 0, maximum: int = LARGEST) -> int | None:
        """Returns the parameter as a whole number, None if it is absent.

        Raises:
            RequestError: 400, because it is not a whole number in this range.
        """
        text = self._parameters.get(name)
        if text is None:
            return None
        if not re.fullmatch("[0-9]{1,12}", text) or not minimum <= int(text) <= maximum:
            detail = f"must be a whole number from {minimum} to {maximum}, given once"
            raise RequestError(400, "Bad query parameter", detail, name)
        return int(text)

    def flag(self, name: str) -> bool | None:
        """Returns the parameter as true or false, None if it is absent.

        Raises:
            RequestError: 400, because it is another text.
        """
        text = self._parameters.get(name)
        if text not in (None, "true", "false"):
            raise RequestError(400, "Bad query parameter", "must be true or false", name)
        return None if text is None else text == "true"

    def text(self, name: str) -> str | None:
        """Returns the parameter as it is, None if it is absent or empty."""
        return self._parameters.get(name) or None
