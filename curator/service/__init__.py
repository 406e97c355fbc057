"""The one joint: load → stage → save. The command line, the inbox and the tests all stand on ``Curator``."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from curator.curate import carried, retold
from curator.inbox import REASONS, SNOOZES, Resolution, apart, differing, offers, suggest, within
from curator.service.curator import Curator, Settled
from curator.service.reader import Target
from curator.service.reasons import RULES, reasons
from curator.service.rows import event_row, finding_row, full_row, row, shown_state, visible
from curator.service.verdicts import Outcome, Shown
from curator.stats.spoken import sections
from curator.text.injection import alarms, faults, orders, refused, tells

if TYPE_CHECKING:
    from curator.export import Refusal
    from curator.service.intake.distilling import Distilled, Plan
    from curator.service.intake.ingest import Scanned
    from curator.service.intake.scanning import Step, find_transcripts, native_places, preview
    from curator.service.lessons.library import Exchange
    from curator.service.lessons.provenance import Brought
    from curator.service.upkeep.carrying import Transfer
    from curator.service.upkeep.checks import Check
    from curator.service.upkeep.health import examine

LATER = {"Refusal": "curator.export", "Scanned": "curator.service.intake.ingest"}
LATER |= {"Transfer": "curator.service.upkeep.carrying"}
LATER |= {"Brought": "curator.service.lessons.provenance", "Exchange": "curator.service.lessons.library"}
LATER |= {"Check": "curator.service.upkeep.checks", "examine": "curator.service.upkeep.health"}
LATER |= dict.fromkeys(("Distilled", "Plan"), "curator.service.intake.distilling")
LATER |= dict.fromkeys(("Step", "find_transcripts", "native_places", "preview"), "curator.service.intake.scanning")


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
    "Distilled",
    "Exchange",
    "Outcome",
    "Plan",
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
