"""Programs of this machine, found so that no folder of a project can put one of its own in their place."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator, Mapping


def find(name: str, env: Mapping[str, str] = os.environ, *, outside: str | os.PathLike[str] = "") -> str | None:
    """The path of a program that ``PATH`` names, ``None`` where there is none.

    Folders of ``PATH`` that are relative, or lie in ``outside`` (a work tree), are left out, and so is a program that leads
    into it by a link: whoever wrote the project would else say what runs.
    """
    top = os.path.realpath(outside) if outside else ""
    for folder in _folders(env.get("PATH", os.defpath)):
        found = shutil.which(name, path=folder)
        if found and not (top and any(_within(place, top) for place in (os.path.realpath(folder), os.path.realpath(found)))):
            return found
    return None


def _folders(path: str) -> Iterator[str]:
    return (folder for folder in path.split(os.pathsep) if os.path.isabs(folder))


def _within(place: str, top: str) -> bool:
    return place == top or place.startswith(top.rstrip(os.sep) + os.sep)
