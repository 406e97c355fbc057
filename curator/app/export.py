"""Write out what is known: every lesson's file, and what agents' files say of them."""

from __future__ import annotations

from pathlib import Path

from curator.app import install, sync
from curator.app.curator import Curator
from curator.app.sync import Exchange


def export(curator: Curator, folder: Path | None = None) -> Exchange:
    """Write every lesson's file, also those that somebody removed; bring agents' files up to date."""
    exchange = sync.sync(curator, folder=folder, restore=True)
    if curator.settings.export:
        exchange.refused.extend(install.refresh(curator, {curator.project.id} if curator.project else ()))
    return exchange
