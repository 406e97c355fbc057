"""The use cases: functions over ``Curator``, one module each, in folders by subject.

Every front end calls them. Python loads a module when it is first used, so a command without a scan never loads ``app.scan``.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from curator.app.curator import Curator
from curator.app.decide import Outcome, Snapshot
from curator.app.presentation import HAPPENED, SIGNALS, display_state, event_row, finding_row, full_row, reasons, row, signal_of
from curator.curate import carry_headline, is_shared, restate
from curator.inbox import (
    REASONS,
    RELATING,
    SNOOZES,
    Resolution,
    confidence,
    differing,
    disjoint_folders,
    doubt_reason,
    offers,
    split_around_headline,
    suggest,
)
from curator.store import backups

if TYPE_CHECKING:
    from curator.app import doctor, hub, mcp, merge_targets, project, project_files, search
    from curator.app.agents import agent_files, deliveries, install, packs
    from curator.app.decisions import advice, forget, settling, tidy
    from curator.app.figures import evaluation, replay, statistics
    from curator.app.project import (
        anchoring,
        git_merge,
        memories,
        memory_edits,
        memory_trash,
        note_cards,
        rules_files,
        staleness,
        sync,
    )
    from curator.app.sessions import distill, ingest, origins, scan
    from curator.lesson_files import Refusal
    from curator.store.schema import explain

FOLDERS = {
    "agents": "agent_files deliveries install packs",
    "decisions": "advice forget settling tidy",
    "figures": "evaluation replay statistics",
    "project": ("anchoring git_merge memories memory_edits memory_trash note_cards rules_files staleness sync"),
    "sessions": "distill ingest origins scan",
}
"""Use cases by the folder of their subject."""
MODULE_OF = {"Refusal": "curator.lesson_files", "explain": "curator.store.schema"}
"""Names of stages that front ends need, by their module, which is dear to import."""
FOLDER_OF = {name: folder for folder, names in FOLDERS.items() for name in names.split()}


if not TYPE_CHECKING:  # otherwise mypy would accept every name

    def __getattr__(name: str) -> Any:
        """Return a use case, or a name of a module that is dear to import, once it is asked for."""
        if name in MODULE_OF:
            return getattr(import_module(MODULE_OF[name]), name)
        module = ".".join(filter(None, (__name__, FOLDER_OF.get(name), name)))
        try:
            return import_module(module)
        except ModuleNotFoundError as error:
            if error.name != module:
                raise
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}") from None
