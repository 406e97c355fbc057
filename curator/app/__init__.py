"""The use cases, one module each: functions over ``Curator``. The command line, the inbox and the tests all stand on them.

A module is loaded when it is first asked for: ``app.scan.follow(curator, ...)`` costs nobody anything who never scans.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from curator.app.curator import Curator
from curator.app.json_rows import HAPPENED, display_state, event_row, finding_row, full_row, row, visible
from curator.app.reasons import RULES, reasons
from curator.app.verdicts import Outcome, Snapshot
from curator.curate import carry_headline, restate
from curator.inbox import REASONS, SNOOZES, Resolution, apart, confidence, differing, offers, suggest, within

if TYPE_CHECKING:
    from curator.app import (
        anchoring,
        deliveries,
        distill,
        doctor,
        evaluation,
        forget,
        ingest,
        install,
        origins,
        packs,
        project_files,
        replay,
        replay_report,
        restore,
        rules_files,
        scan,
        search,
        settling,
        sharing,
        stale_advice,
        staleness,
        statistics,
        sync,
        targets,
    )
    from curator.app.doctor import Check, examine
    from curator.app.ingest import ScanReport
    from curator.app.origins import Arrivals
    from curator.app.scan import Step, find_transcripts, native_places, preview
    from curator.app.settling import Settlement
    from curator.app.sync import Exchange
    from curator.app.targets import Target
    from curator.lesson_files import Refusal
    from curator.stats import PAUSE, sections
    from curator.store.schema import explain

LATER = {"Refusal": "curator.lesson_files", "ScanReport": "curator.app.ingest", "explain": "curator.store.schema"}
LATER |= {"Settlement": "curator.app.settling"}
LATER |= {"Target": "curator.app.targets", "Arrivals": "curator.app.origins", "Exchange": "curator.app.sync"}
LATER |= {"Check": "curator.app.doctor", "examine": "curator.app.doctor"}
LATER |= dict.fromkeys(("PAUSE", "sections"), "curator.stats")
LATER |= dict.fromkeys(("Step", "find_transcripts", "native_places", "preview"), "curator.app.scan")


def __getattr__(name: str) -> Any:
    """A use case, or a name of a room that is dear to import (detectors, front matter), once it is asked for."""
    if name in LATER:
        return getattr(import_module(LATER[name]), name)
    module = f"{__name__}.{name}"
    try:
        return import_module(module)
    except ModuleNotFoundError as error:
        if error.name != module:
            raise
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}") from None


# fmt: off
__all__ = [
    "HAPPENED", "PAUSE", "REASONS", "RULES", "SNOOZES", "Arrivals", "Check", "Curator", "Exchange", "Outcome", "Refusal",
    "Resolution", "ScanReport", "Settlement", "Snapshot", "Step", "Target", "anchoring", "apart",
    "carry_headline", "confidence", "deliveries", "differing", "display_state", "distill",
    "doctor", "evaluation", "event_row", "examine", "explain", "find_transcripts", "finding_row",
    "forget", "full_row", "ingest", "install", "native_places", "offers", "origins", "packs", "preview",
    "project_files", "reasons", "replay", "replay_report", "restate", "restore", "row", "rules_files",
    "scan", "search", "sections", "settling", "sharing", "stale_advice", "staleness", "statistics",
    "suggest", "sync", "targets", "visible", "within",
]
# fmt: on
