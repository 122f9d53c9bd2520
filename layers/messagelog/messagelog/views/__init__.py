"""The log in each provider's own shape, mended so that the provider takes it. Pure functions on stored messages."""
