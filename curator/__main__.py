"""``python -m curator`` is the command ``curator``."""

from __future__ import annotations

import sys

from curator.cli import main

if __name__ == "__main__":
    sys.exit(main())
