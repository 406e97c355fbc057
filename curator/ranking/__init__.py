"""Which lessons matter now: question and rows in, ranked hits with their reasons out. Standard library only.

On the path of hooks: the standard library's smallest parts only, and plain classes.
"""
