"""Lessons → agents: what hooks answer, what the MCP server offers, what is written into agents' files."""
