"""Real agents against a scripted model on this machine: what they hand to the model, and what they write down."""
