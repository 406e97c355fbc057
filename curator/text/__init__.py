"""What every stage does with words, once: masking secrets, cleaning for the terminal, attempts on the agent."""
