"""The agent: loop, prompt, context. It knows no face."""
