"""Tools of other programs over the Model Context Protocol; the SDK is imported at first use."""
