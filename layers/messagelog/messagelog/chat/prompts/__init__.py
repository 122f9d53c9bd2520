"""The system prompt of a chat: a tree of prompts, and where it is kept."""
