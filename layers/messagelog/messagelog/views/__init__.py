"""The log in each provider's own shape, repaired where the provider would refuse it. Pure functions on messages."""
