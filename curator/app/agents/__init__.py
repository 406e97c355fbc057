"""What agents are given by their files, by hooks and in packs."""
