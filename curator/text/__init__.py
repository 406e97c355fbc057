"""The operations on words that every stage needs, once."""
