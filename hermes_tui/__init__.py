"""Hermes TUI: a personal agent that lives in a terminal and keeps working when it closes."""

__version__ = "0.1.0"
