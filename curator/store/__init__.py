"""SQLite: the only room with SQL. One file a person, holding every project."""
