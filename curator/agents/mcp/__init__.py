"""The MCP server: ``transport`` owns the pipe, ``tools`` is the table of tools, ``server`` serves.

Only ``server`` imports the SDK, which takes most of a second. Until then, ``transport`` greets the client. This module imports
nothing for the same reason.
"""
