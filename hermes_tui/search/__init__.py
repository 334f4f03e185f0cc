"""Search over all conversations."""
