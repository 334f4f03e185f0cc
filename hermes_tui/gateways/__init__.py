"""Chats: the ways in which the agent is reached when nobody sits at the terminal."""
