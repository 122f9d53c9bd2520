"""Other libraries, each with its own API. `python -m benchmarks.peers` runs them in environments of their own."""
