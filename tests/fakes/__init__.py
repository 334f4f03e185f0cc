"""Stand-ins for what lies outside: real servers with scripted answers."""
