"""What keeps lessons and the machinery in order: stale code, what verdicts teach, forgetting, health."""
