"""The use cases, one module each. The command line, the inbox and the tests all stand on ``Curator``."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from curator.app.curator import Curator, Settled
from curator.app.json_rows import (
    event_row,
    finding_row,
    full_row,
    row,
    shown_state,
    visible,
)
from curator.app.reader import Target
from curator.app.reasons import RULES, reasons
from curator.app.verdicts import Outcome, Shown
from curator.curate import carried, retold
from curator.inbox import REASONS, SNOOZES, Resolution, apart, differing, offers, suggest, within
from curator.stats.text import sections
from curator.text.injection import alarms, faults, orders, refused, tells

if TYPE_CHECKING:
    from curator.app.carry_over import Transfer
    from curator.app.checks import Check
    from curator.app.doctor import examine
    from curator.app.ingest import Scanned
    from curator.app.origins import Brought
    from curator.app.scan import Step, find_transcripts, native_places, preview
    from curator.app.sync import Exchange
    from curator.lesson_files import Refusal

LATER = {"Refusal": "curator.lesson_files", "Scanned": "curator.app.ingest"}
LATER |= {"Transfer": "curator.app.carry_over"}
LATER |= {"Brought": "curator.app.origins", "Exchange": "curator.app.sync"}
LATER |= {"Check": "curator.app.checks", "examine": "curator.app.doctor"}
LATER |= dict.fromkeys(("Step", "find_transcripts", "native_places", "preview"), "curator.app.scan")


def __getattr__(name: str) -> Any:
    """Names of rooms that are dear to import (detectors, front matter) when they are asked for: the inbox paints first."""
    if name not in LATER:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(LATER[name]), name)


__all__ = [
    "REASONS",
    "RULES",
    "SNOOZES",
    "Brought",
    "Check",
    "Curator",
    "Exchange",
    "Outcome",
    "Refusal",
    "Resolution",
    "Scanned",
    "Settled",
    "Shown",
    "Step",
    "Target",
    "Transfer",
    "alarms",
    "apart",
    "carried",
    "differing",
    "event_row",
    "examine",
    "faults",
    "find_transcripts",
    "finding_row",
    "full_row",
    "native_places",
    "offers",
    "orders",
    "preview",
    "reasons",
    "refused",
    "retold",
    "row",
    "sections",
    "shown_state",
    "suggest",
    "tells",
    "visible",
    "within",
]
