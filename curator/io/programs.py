"""Programs of this machine, found so that no folder of a project can put one of its own in their place."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterable, Iterator, Mapping


def find(name: str, env: Mapping[str, str] = os.environ, *, outside: Iterable[str | os.PathLike[str]] = ()) -> str | None:
    """The path of a program that ``PATH`` names, ``None`` where there is none.

    Folders of ``PATH`` that are relative, or lie in one of ``outside`` (work trees), are left out, and so is a program that
    leads into one by a link: whoever wrote the project would else say what runs.
    """
    tops = [os.path.realpath(top) for top in outside]
    for folder in _folders(env.get("PATH", os.defpath)):
        found = shutil.which(name, path=folder)
        places = (os.path.realpath(folder), os.path.realpath(found)) if found else ()
        if found and not any(_within(place, top) for place in places for top in tops):
            return found
    return None


def _folders(path: str) -> Iterator[str]:
    return (folder for folder in path.split(os.pathsep) if os.path.isabs(folder))


def _within(place: str, top: str) -> bool:
    return place == top or place.startswith(top.rstrip(os.sep) + os.sep)
