"""What is remembered of the person and the world, where each line came from, and who keeps it."""
