"""Tests of chats, with loopback servers and the real client libraries."""
