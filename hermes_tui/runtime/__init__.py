"""The core: sessions, the socket server and its client."""
