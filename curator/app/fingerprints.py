"""What is known of a statement by the fingerprint of its words, also where that was written before order counted.

Older databases and tombstones hold only the part of a fingerprint that "use npm, not pnpm" and "use pnpm, not npm" have in
common. An entry can be asked for its words. A tombstone has none: it holds for both, since what was forgotten must not return.
"""

from __future__ import annotations

from curator.model import Candidate, Entry
from curator.store import Store


def forgotten(store: Store, fingerprint: str) -> bool:
    """Whether a statement with this fingerprint was forgotten."""
    from curator import detection  # dear to import

    return store.entries.buried(fingerprint, detection.bagged(fingerprint))


def stated(store: Store, candidate: Candidate, project: str) -> Entry | None:
    """The entry of a project that states the same."""
    from curator import detection

    mark, older = candidate.fingerprint, detection.bagged(candidate.fingerprint)
    if (known := store.entries.by_fingerprint(project, mark)) or older == mark:
        return known
    old = store.entries.by_fingerprint(project, older)
    return old if old and detection.fingerprint(old.insight) == mark else None
