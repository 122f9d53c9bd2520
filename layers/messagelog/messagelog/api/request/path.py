"""The path of a request, whose parameters API Gateway has decoded."""

from __future__ import annotations

from collections.abc import Mapping

from messagelog.api.problems import RequestError
from messagelog.messages import ROLES, Role
from messagelog.names import CONVERSATION_RULE, is_conversation_name


class Path:
    """The parameters in the path of a request."""

    def __init__(self, parameters: Mapping[str, str | None]) -> None:
        self._parameters = parameters

    @property
    def conversation(self) -> str:
        """The name of the conversation.

        Raises:
            RequestError: 400, because the name breaks the rule for conversation names.
        """
        name = self._parameters.get("conversation")
        if not is_conversation_name(name):
            raise RequestError(400, "Bad conversation", f"a conversation name {CONVERSATION_RULE}", "conversation")
        return name

    @property
    def given_conversation(self) -> str:
        """The name of the conversation as it was sent, for a hash in the log."""
        return str(self._parameters.get("conversation"))

    @property
    def role(self) -> Role:
        """The role of a new message.

        Raises:
            RequestError: 404, because the role is unknown.
        """
        given = self._parameters.get("role")
        for role in ROLES:
            if role == given:
                return role
        raise RequestError(404, "Unknown role", f"the role in the path must be one of {', '.join(ROLES)}")
