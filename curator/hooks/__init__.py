"""The path of hooks: answers to agents' calls, from the store and the ranking alone, because the app loads too slowly."""

FAULTS = "hook.log"
"""A file in the spool for unforeseen faults, until ``app.deliveries`` moves them into the log."""
