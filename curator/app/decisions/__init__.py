"""What follows from a decision, and decisions beyond one project."""
