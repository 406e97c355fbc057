"""Curator from outside: what an agent and a person do, with real processes."""
