"""The MCP server: ``transport`` owns the pipe, ``tools`` is the table of tools, ``answers`` words them, ``server`` serves.

Only ``server`` needs the SDK: that takes most of a second to import, and ``transport`` is there to greet a
client that waits meanwhile. Nothing is imported here for the same reason.
"""
