"""A request as API Gateway hands it over (HTTP API, payload 2.0), read strictly: one module for each of its parts."""

from messagelog.api.request.request import Request, conversation_hash, hashes_of

__all__ = ["Request", "conversation_hash", "hashes_of"]
