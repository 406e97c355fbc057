"""The project of lessons: its code, its lesson files, its rules files."""
