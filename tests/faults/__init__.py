"""What goes wrong: kills, full disks, damaged files, other programs that hang. Nothing acknowledged is lost by it."""
