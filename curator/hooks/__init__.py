"""The path of hooks: what an agent asks on its way, answered from the store and the ranking alone. No time for the app."""

FAULTS = "hook.log"
"""In the spool: what was not foreseen, until ``app.deliveries`` moves it into the log."""
