"""Converts histories and replies of other libraries to messages of the log.

Each function takes one message, a reply as the SDK returned it, or a sequence of messages, as dicts or SDK objects, and
imports no SDK. Text, function calls and results are kept exactly. Text parts are joined, and thinking becomes a message
of the role `reasoning`. Images, documents, audio and video become files. A model's own turn is also kept as its API
sent it, if text and calls do not express it. Anything else raises CodecError with its path in the argument.
"""

from messagelog.readers.anthropic import from_anthropic
from messagelog.readers.bedrock import from_bedrock
from messagelog.readers.langchain import from_langchain
from messagelog.readers.openai import from_openai

__all__ = ["from_anthropic", "from_bedrock", "from_langchain", "from_openai"]
