"""The MCP server: ``transport`` speaks the protocol, ``tools`` is the table of tools, ``answers`` has the texts."""
