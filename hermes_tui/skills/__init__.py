"""Skills: SKILL.md files found, parsed and listed."""
