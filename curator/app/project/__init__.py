"""Follow a project: its code, its lesson files, its rules files."""
