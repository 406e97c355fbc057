"""The one joint: load → stage → save. The command line, the inbox and the tests all stand on ``Curator``."""

from __future__ import annotations

from curator.detect.redact import strip as visible
from curator.export import Refusal
from curator.inbox import REASONS, SNOOZES, Resolution, suggest
from curator.service.curator import Curator, Outcome, Target
from curator.service.ingest import Scanned, Step, find_transcripts, native_places, preview
from curator.service.rows import event_row, full_row, row, shown_state

__all__ = [
    "REASONS",
    "SNOOZES",
    "Curator",
    "Outcome",
    "Refusal",
    "Resolution",
    "Scanned",
    "Step",
    "Target",
    "event_row",
    "find_transcripts",
    "full_row",
    "native_places",
    "preview",
    "row",
    "shown_state",
    "suggest",
    "visible",
]
