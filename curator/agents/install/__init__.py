"""Set up agents: the table of their files, edits that keep the rest of a file as it is, and plans that are shown first."""
