"""What goes in and out of the machine: programs that may be run, files that may be opened."""
