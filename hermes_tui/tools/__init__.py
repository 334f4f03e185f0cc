"""The tools a model can call, one file a family."""
