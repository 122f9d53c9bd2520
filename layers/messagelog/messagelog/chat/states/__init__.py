"""What a chat remembers beside the log: the protocol, and its two implementations."""
