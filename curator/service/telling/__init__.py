"""Lessons to agents: which matter, what was told, what came of it, and how agents are set up for it."""
