"""Give lessons to agents: in their files, through hooks and in packs."""
