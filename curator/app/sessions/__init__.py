"""Transcripts: find them, make cards of them, and have a model read them."""
