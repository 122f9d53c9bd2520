"""`send()`: moves the queue and the user's message to the log, and asks the model until it stops."""
