"""What every stage does with words, once."""
