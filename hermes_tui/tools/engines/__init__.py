"""Search engines: how each is asked and how its answer is read. None of them opens a connection."""
