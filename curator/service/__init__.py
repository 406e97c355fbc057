"""The one joint: load → stage → save. The command line, the inbox and the tests all stand on ``Curator``."""

from __future__ import annotations

from curator.inbox import REASONS, SNOOZES, Resolution, suggest
from curator.service.curator import Curator, Outcome, Target
from curator.service.rows import event_row, row

__all__ = ["REASONS", "SNOOZES", "Curator", "Outcome", "Resolution", "Target", "event_row", "row", "suggest"]
