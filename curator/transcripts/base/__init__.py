"""The parts that formats share: find files, follow them as they grow, tell new turns and their speakers."""
