"""Find transcripts, make cards of them, and have a model read them."""
