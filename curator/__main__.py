"""The command ``curator``. It joins the two front ends, which do not know each other, and takes hooks past both.

This module imports only what a hook needs: see ``curator.hooks``.
"""

from __future__ import annotations

import sys

TYPE_CHECKING = False  # the name is enough for type checkers; ``typing`` itself would be dear
if TYPE_CHECKING:
    from typing import Any


def front_end(name: str) -> Any:
    """Return a function of the inbox, which is loaded when somebody calls it."""

    def call(*values: object, **named: object) -> object:
        from curator import tui

        return getattr(tui, name)(*values, **named)

    return call


def main() -> int:
    """Run the command line; returns its exit code. A hook ends the process itself."""
    try:
        return _main()
    except KeyboardInterrupt:  # while no better handler is active
        from os import write

        write(2, b"Stopped. Everything saved before is safe.\n")
        return 130


def _main() -> int:
    if sys.argv[1:2] == ["hook"] and not {"-h", "--help"} & {*sys.argv[2:]}:
        from curator import hooks

        hooks.main(sys.argv[2:])
    if sys.argv[1:2] == ["status"]:
        from curator import hooks

        if hooks.print_status(sys.argv[2:]):
            return 0
    if sys.argv[1:2] == ["mcp"] and not {"-h", "--help"} & {*sys.argv[2:]}:
        from curator.agents import mcp

        mcp.greet()  # an agent waits, and the command line takes a moment to import
    import gc

    gc.disable()  # Modules are never garbage, and searching them repeatedly takes a tenth of a start.
    from curator.cli import Frontends, run

    gc.freeze()
    gc.enable()

    return run(sys.argv[1:], Frontends(inbox=front_end("run"), themes=front_end("themes")))


if __name__ == "__main__":
    sys.exit(main())
