"""The state of a chat beside its log: the protocol, the rules, and the two implementations."""
