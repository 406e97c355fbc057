"""SQLite: the only package with SQL. Each person has one file, which contains every project."""
