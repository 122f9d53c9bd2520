"""Development tools, never shipped: the local API behind `make run`, `make demo` and `make invoke`."""
