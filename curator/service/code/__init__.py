"""The code that lessons speak of: which it is, and what it looked like."""
