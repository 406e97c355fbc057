"""The plugin manager: the built-in plugins first, then the installed ones of the entry point group ``curator``."""

from __future__ import annotations

import logging
import os
import sys
from functools import cache
from pathlib import Path

import pluggy

from curator import hookspecs
from curator.hookspecs import Format, MakeDistiller

log = logging.getLogger(__name__)


@cache
def manager() -> pluggy.PluginManager:
    """Return the only plugin manager. ``CURATOR_PLUGINS=0`` leaves out installed plugins.

    A plugin that fails to load is logged and left out, because its bug must not keep a person from the inbox.
    """
    import curator.distill  # the other packages import the plugin points in turn
    import curator.transcripts  # the other packages import the plugin points in turn

    plugins = pluggy.PluginManager("curator")
    plugins.add_hookspecs(hookspecs)
    plugins.register(curator.transcripts)
    plugins.register(curator.distill)
    if os.environ.get("CURATOR_PLUGINS") != "0" and _may_be_installed():
        try:
            plugins.load_setuptools_entrypoints("curator")
        except Exception:
            log.exception("a plugin could not be loaded; it is left out")
    return plugins


def _may_be_installed() -> bool:
    """Return whether any installed package names curator's group. Pluggy would load megabytes to find that out."""
    folders = [Path(place or os.curdir) for place in sys.path]
    named = (file.read_bytes() for folder in folders for file in folder.glob("*-[Ii][Nn][Ff][Oo]/entry_points.txt"))
    try:
        return any(folder.is_file() for folder in folders) or any(b"[curator]" in content for content in named)
    except OSError:
        return True


def formats() -> tuple[Format, ...]:
    """Return every registered transcript format, built-ins first."""
    found: list[Format] = []
    manager().hook.register_formats(register=found.append)
    return tuple(found)


def distillers() -> dict[str, MakeDistiller]:
    """Return every registered distiller by its name, unmade. No plugin replaces a built-in one."""
    found: dict[str, MakeDistiller] = {}
    manager().hook.register_distillers(register=found.__setitem__)  # Pluggy calls the first registered plugin last.
    return found
