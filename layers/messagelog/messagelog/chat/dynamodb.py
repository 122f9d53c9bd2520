"""The public import path of the chat state in DynamoDB."""

from messagelog.chat.states.dynamodb import DynamoDBChatState

__all__ = ["DynamoDBChatState"]
