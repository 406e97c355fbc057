"""The plugin manager: built-ins first, then whatever is installed under the entry point group ``curator``."""

from __future__ import annotations

import logging
import os
from functools import cache

import pluggy

from curator import hookspecs
from curator.hookspecs import Format

log = logging.getLogger(__name__)


@cache
def manager() -> pluggy.PluginManager:
    """The one plugin manager; ``CURATOR_PLUGINS=0`` leaves out everything that is not built in.

    A plugin that can't be loaded is logged and left out: somebody else's bug must not keep a person from the inbox.
    """
    import curator.transcripts

    plugins = pluggy.PluginManager("curator")
    plugins.add_hookspecs(hookspecs)
    plugins.register(curator.transcripts)
    if os.environ.get("CURATOR_PLUGINS") != "0":
        try:
            plugins.load_setuptools_entrypoints("curator")
        except Exception:
            log.exception("a plugin could not be loaded; it is left out")
    return plugins


def formats() -> tuple[Format, ...]:
    """Every registered transcript format, built-ins first."""
    found: list[Format] = []
    manager().hook.register_formats(register=found.append)
    return tuple(found)
