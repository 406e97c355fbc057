"""What formats share: find files, follow them as they grow, tell what is new and whose words they are."""
