"""The setup of agents: the table of their files, edits that preserve the rest of a file, and plans with a preview."""
