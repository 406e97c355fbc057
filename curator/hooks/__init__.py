"""The path of hooks: what an agent asks on its way, answered from the store and the ranking alone. No time for the app."""

FAULTS = "hook.log"
"""A file in the spool for unforeseen faults, until ``app.deliveries`` moves them into the log."""
