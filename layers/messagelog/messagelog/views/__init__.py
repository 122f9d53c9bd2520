"""Pure functions that convert the log to the form of a provider, and repair what the provider would refuse."""
