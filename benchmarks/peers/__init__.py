"""What people use today, each by its own API: run in an environment of its own, by `python -m benchmarks.peers`."""
