"""The demo's deliveries: what agents of the made-up project were sent, and what came of it."""

from __future__ import annotations

from collections.abc import Iterator

from curator.store.deliveries import Outcome, Receipt

DAY = 86_400.0
DELIVERED = (
    # days ago, session, which of the lessons, what came of it
    (16.0, "7d10", 0, "helped"),
    (12.0, "5c8e", 0, ""),
    (9.0, "5c8e", 2, "helped"),
    (6.0, "0b42", 0, "helped"),
    (4.0, "0b42", 2, ""),
    (2.0, "a91f", 1, "ignored"),
)


def receipts(project: str, lessons: list[str], now: float) -> Iterator[Receipt]:
    """The decisions of hooks."""
    for days, session, which, _ in DELIVERED:
        shown = [[lessons[which], 1, 0.62, 28, {}]]
        asked = {"prompt": "", "files": ["billing/gateway.py"]}
        body = {"event": "PreToolUse", "moment": "file", "asked": asked, "shown": shown, "withheld": [], "threshold": 0.25}
        yield Receipt(at=now - days * DAY, session=session, agent="claude-code", project=project, body=body)


def outcomes(project: str, lessons: list[str], now: float) -> Iterator[Outcome]:
    """What came of them."""
    for days, session, which, kind in DELIVERED:
        if kind:
            source = "report" if kind == "helped" else "again"
            when = now - days * DAY
            yield Outcome(lesson=lessons[which], session=session, project=project, at=when, kind=kind, source=source)
