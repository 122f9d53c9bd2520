"""`send()`: from the queue and the user's words to the model's last one."""
