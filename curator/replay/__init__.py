"""Would lessons have helped? Sessions that are over, what they say again, and what would have been sent before that."""
