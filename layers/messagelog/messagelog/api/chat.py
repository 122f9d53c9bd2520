"""A chat over HTTP: opened for an invocation, and its messages and prompt tree as replies."""

from __future__ import annotations

from itertools import islice
from typing import Any

from messagelog.api.reply import Reply, chat_page, ok
from messagelog.api.request import Request
from messagelog.api.tables import client_of, log_of, retry_within
from messagelog.chat.chat import Chat
from messagelog.chat.prompts.container import PromptContainer
from messagelog.chat.prompts.store import STANDARD
from messagelog.chat.queue import MessageQueue
from messagelog.chat.states.dynamodb import DynamoDBChatState
from messagelog.dynamodb import Counters
from messagelog.reply_limit import MAX_BODY_BYTES, size_of
from messagelog.settings import chat_table, settings


def chat_of(request: Request) -> Chat:
    """The chat of the request's conversation."""
    return open_chat(request.partition_key, request.context, request.counters)


def queue_of(request: Request) -> MessageQueue:
    """The queue of the request's conversation."""
    return MessageQueue(_state_of(request.partition_key, request.context, request.counters))


def open_chat(conversation: str, context: Any, counters: Counters) -> Chat:
    """The chat of a conversation, for an invocation with this context; `counters` are told what is done to it."""
    return Chat(log_of(conversation, context, counters), _state_of(conversation, context, counters))


def _state_of(conversation: str, context: Any, counters: Counters) -> DynamoDBChatState:
    return DynamoDBChatState(
        conversation, table=chat_table(), client=client_of(settings()), retry=retry_within(context), counters=counters
    )


def messages_page(chat: Chat, *, after: int, limit: int | None, historic: bool = False) -> Reply:
    """As many of the chat's messages behind `after` as fit, and whether a turn is running or has failed.

    That is asked first: once it is neither, the messages that follow are all that the turn has brought.
    """
    progress = chat.state.progress()
    messages = chat.iter_historic_messages(after=after) if historic else chat.iter_messages(after=after)
    one_more = islice(messages, limit and limit + 1)
    return chat_page(one_more, after=after, limit=limit, running=progress.running, failed=progress.failed)


def system_reply(chat: Chat) -> Reply:
    """The prompt tree and its text, with the version as the ETag. `text` is null if both do not fit into one reply."""
    return _shown(chat.system(), chat.prompt_store.version)


def put_system(chat: Chat, form: Any, *, version: int | None) -> Reply:
    """Replaces the prompt tree by one in its JSON form, if it has this version, and shows it."""
    tree = PromptContainer.from_json(form, "tree", standard=STANDARD)
    return _shown(chat.prompt_store.put(tree, version=version), chat.prompt_store.version)


def _shown(tree: PromptContainer, version: int) -> Reply:
    shown: dict[str, Any] = {"tree": tree.to_json(), "text": tree.compose()}
    if size_of(shown) > MAX_BODY_BYTES:
        shown["text"] = None
    return ok(shown, count=version)
