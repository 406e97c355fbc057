"""Tell whether the code under a lesson has reached the main branch."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from curator.code import history
from curator.code.files import Seen, called, content
from curator.code.languages import language_of
from curator.code.symbols import whole
from curator.code.versions import Version
from curator.io import git
from curator.model import Anchor

_USUAL = ("main", "master", "trunk", "develop")


def main_branch(folder: Path) -> str:
    """The branch that others start from: what the remote calls HEAD, else the first usual name there is; empty if none."""
    remote = git.first_line(git.ask(folder, "symbolic-ref", "--quiet", "--short", "refs/remotes/origin/HEAD"))
    if remote:
        return remote
    known = set(git.lines(git.ask(folder, "for-each-ref", "--format=%(refname:short)", "refs/heads", "refs/remotes/origin")))
    return next((name for usual in _USUAL for name in (usual, f"origin/{usual}") if name in known), "")


def current(folder: Path) -> str:
    """The branch that is checked out; empty when none is."""
    return git.first_line(git.ask(folder, "symbolic-ref", "--quiet", "--short", "HEAD"))


def git_folders(folder: Path) -> list[Path]:
    """Where git notes what is checked out and what was committed: its folder, that of a linked work tree, and its branches."""
    answer = git.lines(git.ask(folder, "rev-parse", "--absolute-git-dir", "--path-format=absolute", "--git-common-dir"))
    found = [Path(line) for line in answer]
    branch = os.path.dirname(current(folder))
    heads = [place / "refs" / "heads" / branch for place in found[1:]]
    return [place for place in dict.fromkeys((*found, *heads)) if place.is_dir()]


def apart(folder: Path, anchors: Sequence[Anchor]) -> bool:
    """Whether the main branch lacks some of the anchored code as it was anchored."""
    main = main_branch(folder)
    if not main or not anchors:
        return False
    there = history.tracked(folder, main, [anchor.path for anchor in anchors])
    version = Version(lambda path: history.at(folder, main, path))
    merged: dict[str, bool] = {}
    for anchor in anchors:
        if there.get(anchor.path, "-") == anchor.blob or _has_anchor(version, anchor):
            continue
        if anchor.commit not in merged:
            merged[anchor.commit] = bool(anchor.commit) and contains(folder, main, anchor.commit)
        if not merged[anchor.commit] or anchor.text:
            return True
    return False


def branch_of(folder: Path, anchors: Sequence[Anchor]) -> str:
    """The branch on which the anchored code is, while the main branch lacks it; else empty."""
    branch = current(folder)
    return branch if branch and branch != main_branch(folder).rpartition("/")[2] and apart(folder, anchors) else ""


def elsewhere(folder: Path, branch: str, anchors: Sequence[Anchor]) -> bool:
    """Whether another branch than the anchors' is checked out, and theirs is still there to look at."""
    there = git.ask(folder, "rev-parse", "--verify", "--quiet", f"refs/heads/{branch}") is not None
    commits = {anchor.commit for anchor in anchors if anchor.commit}
    return there and current(folder) != branch and not all(contains(folder, "HEAD", commit) for commit in commits)


def contains(folder: Path, branch: str, commit: str) -> bool:
    """Whether a branch has a commit in its history."""
    return git.ask(folder, "merge-base", "--is-ancestor", commit, branch) is not None


def dated(folder: Path, anchors: Sequence[Anchor]) -> tuple[Anchor, ...]:
    """Undated anchors with their own commit or that of HEAD, where its content is theirs: then the code is kept no longer.

    Two processes at most, however many anchors there are.
    """
    waiting = [anchor for anchor in anchors if anchor.undated]
    head = git.first_line(git.ask(folder, "rev-parse", "--verify", "--quiet", "HEAD")) if waiting else ""
    if not head:
        return tuple(anchors)
    there = history.blobs(folder, [(commit, anchor.path) for anchor in waiting for commit in (anchor.commit, head) if commit])
    seen = Seen(folder)

    def has(commit: str, anchor: Anchor) -> bool:
        id_ = there.get((commit, anchor.path), "")
        if id_ == anchor.blob or not id_ or seen.blob(anchor.path) != anchor.blob:
            return id_ == anchor.blob
        source = content(folder, anchor.path, history.LARGEST)
        return source is not None and called(source, id_)

    # Its own first: older versions noted one without looking, and where it was right no file has to name another.
    holders = {anchor: next((commit for commit in (anchor.commit, head) if has(commit, anchor)), "") for anchor in waiting}
    return tuple(
        replace(anchor, commit=commit, text="", committed=True) if (commit := holders.get(anchor, "")) else anchor
        for anchor in anchors
    )


def _has_anchor(version: Version, anchor: Anchor) -> bool:
    if anchor.symbol:
        found = version.named(anchor.path, anchor.symbol)
        return any((symbol.signature_hash, symbol.body_hash) == (anchor.signature, anchor.body) for symbol in found)
    source = version.source(anchor.path)
    return source is not None and whole(source, language_of(anchor.path)).body_hash == anchor.body
