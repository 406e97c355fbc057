"""Measure quality: labelled questions, hooks replayed on past sessions, counts."""
