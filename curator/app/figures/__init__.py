"""How good it is: labelled questions, hooks replayed on past sessions, counts."""
