"""Hooks: callbacks for the events of a chat, registered in code or read from JSON files."""
