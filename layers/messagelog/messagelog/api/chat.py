"""A chat over HTTP: it is opened for one invocation, and its messages and its prompt tree become replies."""

from __future__ import annotations

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
    """Opens the chat of the request's conversation."""
    return open_chat(request.partition_key, request.context, request.counters)


def queue_of(request: Request) -> MessageQueue:
    """Opens the queue of the request's conversation."""
    return MessageQueue(_state_of(request.partition_key, request.context, request.counters))


def open_chat(conversation: str, context: Any, counters: Counters) -> Chat:
    """Opens the chat of a conversation for one invocation.

    Args:
        conversation: The name of the conversation in the tables.
        context: Lambda's context of the invocation.
        counters: Count what is done to the chat.
    """
    return Chat(log_of(conversation, context, counters), _state_of(conversation, context, counters))


def _state_of(conversation: str, context: Any, counters: Counters) -> DynamoDBChatState:
    return DynamoDBChatState(
        conversation, table=chat_table(), client=client_of(settings()), retry=retry_within(context), counters=counters
    )


def messages_page(chat: Chat, *, after: int, limit: int | None, historic: bool = False) -> Reply:
    """Returns the chat's messages after `after`, as many as fit, and whether a turn is running or has failed.

    The state of the turn is read first. If no turn is running, the messages that follow are all messages of the last
    turn.
    """
    progress = chat.state.progress()
    read = chat.iter_historic_messages if historic else chat.iter_messages
    messages = read(after=after, limit=None if limit is None else limit + 1)  # one more shows whether this is the end
    return chat_page(messages, after=after, limit=limit, running=progress.running, failed=progress.failed)


def system_reply(chat: Chat) -> Reply:
    """Returns the prompt tree and its text, with the version as the ETag. `text` is null if both do not fit."""
    return _shown(chat.system(), chat.prompt_store.version)


def put_system(chat: Chat, form: Any, *, version: int | None) -> Reply:
    """Replaces the prompt tree, and returns it.

    Args:
        chat: The chat.
        form: The new tree in its JSON form.
        version: Replace the tree only if it has this version; None for any version.
    """
    tree = PromptContainer.from_json(form, "tree", standard=STANDARD)
    return _shown(chat.prompt_store.put(tree, version=version), chat.prompt_store.version)


def _shown(tree: PromptContainer, version: int) -> Reply:
    shown: dict[str, Any] = {"tree": tree.to_json(), "text": tree.compose()}
    if size_of(shown) > MAX_BODY_BYTES:
        shown["text"] = None
    return ok(shown, count=version)
