"""Work at set times: when it is due, what it is, and what became of each time."""
