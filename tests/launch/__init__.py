"""The `hermes` command from outside: processes, terminals, signals."""
