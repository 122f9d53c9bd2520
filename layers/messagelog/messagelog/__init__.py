"""MessageLog: durable conversation memory for LLM agents."""
