"""Where callers import the chat state in DynamoDB from."""

from messagelog.chat.states.dynamodb import DynamoDBChatState

__all__ = ["DynamoDBChatState"]
