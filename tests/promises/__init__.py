"""The promises of docs/security.md, each held by a test that tries to break it."""
