"""The MCP server: ``wire`` owns the pipe, ``greeting`` answers the first request, ``tools`` says what there is to call,
``answers`` says it in words, ``server`` serves.

Only ``server`` needs the SDK: that takes most of a second to import, and ``wire`` and ``greeting`` are there to greet a
client that waits meanwhile. Nothing is imported here for the same reason.
"""
