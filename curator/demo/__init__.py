"""The demo: a made-up project in a temporary folder with a real database, so that every key works and nothing is touched."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from curator import clock
from curator.app import Curator
from curator.demo import deliveries
from curator.demo.sample import CODE, entries, lessons
from curator.model import Change, Project, Verb
from curator.settings import Settings

PROJECT = "acme-api"


@contextmanager
def opened(settings: Settings) -> Iterator[Curator]:
    """The sample project, open; everything is deleted afterwards. Theme and keys are the person's own."""
    with tempfile.TemporaryDirectory(prefix="curator-demo-") as folder:
        curator = fill(Path(folder), settings)
        try:
            yield curator
        finally:
            curator.close()


def fill(folder: Path, settings: Settings) -> Curator:
    """Write the sample project and its database into a folder."""
    work = folder / PROJECT
    for name, text in CODE.items():
        file = work / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    project = Project(id="demo", name=PROJECT, folder=str(work))
    home = replace(settings, home=folder / "home", watch=False)
    curator = Curator(home, project)
    at = clock.now()
    with curator.store.transaction():
        curator.store.sources.remember(project, project.folder)
        for entry in entries(at):
            curator.store.apply([(Verb.PROPOSE, Change(before=None, after=entry))], actor="detector", at=entry.updated)
        kept = [entry.id for entry in lessons(at)]
        curator.store.deliveries.add(deliveries.receipts(project.id, kept, at))
        for outcome in deliveries.outcomes(project.id, kept, at):
            curator.store.deliveries.record(outcome)
    return curator
