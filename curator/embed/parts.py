"""What an embedder is made of: libraries that are extras, a folder with its files, and the tokenizer."""

from __future__ import annotations

import importlib
import os
from collections.abc import Sequence
from hashlib import blake2b
from pathlib import Path
from typing import Any

from curator.errors import CuratorError
from curator.settings import Settings

TOKENIZER = "tokenizer.json"


def library(name: str, extra: str) -> Any:
    """A library that only an extra brings. Raises ``CuratorError`` that says how to install it."""
    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise CuratorError(
            f"The embedder `{extra}` needs {name}, which can't be imported: {error}.",
            f'Install it beside curator: pip install "lesson-curator[{extra}]"; or set embedder = "".',
        ) from error


def files(settings: Settings, names: Sequence[str]) -> list[Path]:
    """These files of the folder that is set. Raises ``CuratorError`` where it, or one of them, is missing."""
    kind, set_folder = settings.embedder, settings.embedder_folder
    if not set_folder:
        raise CuratorError(
            f"The embedder `{kind}` needs a folder with {' and '.join(names)}.",
            f'Name it in {settings.file}: embedder_folder = "…". See docs/embedding.md for how to get one.',
        )
    folder = Path(os.path.expanduser(set_folder))
    missing = [name for name in names if not (folder / name).is_file()]
    if missing:
        what = f"has no {' and no '.join(missing)}" if folder.is_dir() else "is no folder"
        raise CuratorError(f"{folder} {what}.", f"The embedder `{kind}` needs {' and '.join(names)} there.")
    return [folder / name for name in names]


def stamp(kind: str, paths: Sequence[Path]) -> str:
    """A name for a model that changes when its files do: by size and time, since hashing a model takes longer than a search.

    Raises ``CuratorError`` for a file that is gone meanwhile.
    """
    try:
        looked = [(path.name, *(getattr(path.stat(), field) for field in ("st_size", "st_mtime_ns"))) for path in paths]
    except OSError as error:
        raise unreadable(paths[0].parent, error) from error
    return f"{kind} {blake2b(repr(looked).encode(), digest_size=8).hexdigest()}"


def tokenizer(path: Path, extra: str) -> Any:
    """The tokenizer of a ``tokenizer.json``, which neither pads nor cuts. Raises ``CuratorError``."""
    tokenizers = library("tokenizers", extra)
    try:
        found = tokenizers.Tokenizer.from_file(str(path))
    except Exception as error:  # the library raises this very class
        raise unreadable(path, error) from error
    found.no_padding()
    found.no_truncation()
    return found


def unreadable(path: Path, error: object) -> CuratorError:
    """A file that is not what it should be."""
    return CuratorError(f"{path} can't be read: {error}", "Get the model's folder anew; see docs/embedding.md.")
