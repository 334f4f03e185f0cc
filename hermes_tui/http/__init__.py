"""The one HTTP port of the core: who may call, which path does what, within which limits."""
