"""Chats: what comes in becomes inputs of sessions, what sessions say goes out."""
