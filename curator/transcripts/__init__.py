"""What agents wrote → turns: one file a format, beside discovery, tailing and watching."""
