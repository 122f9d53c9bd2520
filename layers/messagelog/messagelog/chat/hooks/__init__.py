"""Callbacks for what happens in a chat, registered in code or read from JSON files."""
