"""The `hermes` command, one file for each group; everything is imported late."""
