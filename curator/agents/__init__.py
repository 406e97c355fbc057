"""The links to other programs: the MCP server, the blocks in files that agents read, the entries in their settings."""
