"""Files, programs, git and other programs' databases."""
