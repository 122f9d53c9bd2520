"""The state of a chat, which is stored apart from its log: the protocol, the rules, and the two implementations."""
