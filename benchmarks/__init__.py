"""`make bench`: the cost, speed and scale of the log, measured beside other libraries."""
