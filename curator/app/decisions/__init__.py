"""Carry out the consequences of decisions, and decide beyond one project."""
