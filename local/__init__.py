"""Development tools, never shipped: the local API of `make run`, `make demo` and `make invoke`."""
