"""What happened to anchored files since.

Quiet by default: the same content, white space, line ends, the file's mode, a folder that is not on this machine, a bare
repository, a sparse checkout and a file that can't be read raise nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from curator.anchors import past
from curator.anchors.difference import same_but_blanks, unified
from curator.anchors.files import Seen, content, inside
from curator.model import Anchor, Finding


def check(folder: Path, anchors: Sequence[Anchor], *, seen: Seen | None = None) -> tuple[Finding, ...]:
    """What happened to the anchored files of one lesson, in the order of its anchors; see ``check_many``."""
    return check_many(folder, {"": anchors}, seen=seen)[""]


def check_many(
    folder: Path, anchors: Mapping[str, Sequence[Anchor]], *, seen: Seen | None = None
) -> Mapping[str, tuple[Finding, ...]]:
    """Findings for each id. Each file is hashed once, and git is asked only when something changed, five times at most.

    ``seen`` remembers hashes between calls: keep one a folder to check often.
    """
    if not folder.is_dir():
        return dict.fromkeys(anchors, ())
    seen = seen if seen and seen.folder == folder else Seen(folder)
    changed: dict[Anchor, str] = {}
    gone: list[Anchor] = []
    for anchor in dict.fromkeys(one for several in anchors.values() for one in several):
        blob = seen.blob(anchor.path) if anchor.blob and _plain(anchor.path) else None
        if blob is None or blob == anchor.blob or inside(folder, anchor.path) != anchor.path:
            continue
        if blob:
            changed[anchor] = blob
        else:
            gone.append(anchor)
    findings = {**_changes(folder, changed), **_losses(seen, gone)}
    return {id: tuple(findings[one] for one in dict.fromkeys(several) if one in findings) for id, several in anchors.items()}


def _plain(path: str) -> bool:
    """Whether a path may be looked at before ``inside`` has followed its links: a lesson file may say anything."""
    return bool(path) and not path.startswith("/") and ".." not in path.split("/") and "\0" not in path


def _changes(folder: Path, changed: Mapping[Anchor, str]) -> dict[Anchor, Finding]:
    """Findings for files whose content is another, without those where only white space is."""
    known = past.contents(folder, list(changed)) if changed else {}
    findings = {}
    for anchor, blob in changed.items():
        diff = ""
        before = known.get(anchor)
        now = content(folder, anchor.path, past.LARGEST) if before else None
        if before and now is not None and b"\0" not in now:
            after = now.decode("utf-8", "replace").replace("\r\n", "\n").replace("\r", "\n")
            if before.exact and same_but_blanks(before.text, after):
                continue
            label = anchor.path if before.exact else f"{anchor.path} (as of {anchor.commit[:8]})"
            diff = unified(before.text, after, label, anchor.path)
        findings[anchor] = Finding(path=anchor.path, change="changed", diff=diff, blob=blob)
    return findings


def _losses(seen: Seen, gone: Iterable[Anchor]) -> dict[Anchor, Finding]:
    """Findings for files that are not there: renamed when exactly their content is at another path, else gone."""
    gone = list(gone)
    if not gone or not past.has_work_tree(seen.folder):
        return {}
    index = past.index(seen.folder)
    gone = [anchor for anchor in gone if anchor.path not in index.hidden]
    places = past.elsewhere(seen, index.blobs, gone) if gone else {}
    return {
        anchor: Finding(path=anchor.path, change="renamed", new_path=places[anchor], blob=anchor.blob)
        if anchor in places
        else Finding(path=anchor.path, change="gone")
        for anchor in gone
    }
