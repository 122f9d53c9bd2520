"""A chat: a window on the log, with a prompt tree, a queue, hooks and `send`."""
