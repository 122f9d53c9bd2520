"""What the log costs, how fast it is and how it holds up, measured beside what people use today: `make bench`."""
