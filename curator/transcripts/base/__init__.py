"""The parts that formats share: find files, follow their growth, and recognise new turns and their speakers."""
