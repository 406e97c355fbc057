"""Lessons beside one another, in files, with colleagues and in other projects."""
