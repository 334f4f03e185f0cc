"""The full-screen UI."""
