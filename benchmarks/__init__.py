"""`make bench`: the cost, speed and scale of the log, compared with other libraries."""
