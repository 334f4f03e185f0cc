"""Models: one protocol, one file for each way of reaching them."""
