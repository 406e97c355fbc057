"""Files and commits that tests make."""

from __future__ import annotations

import subprocess
from pathlib import Path

TOP = Path(__file__).parents[1]
"""The checkout."""
SHARED = TOP.parent / "shared"
"""Data that may stand beside it."""


def write_file(path: Path, content: str | bytes = b"") -> Path:
    """Write a file, and make the folders above it; return its path."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def write_program(path: Path, script: str) -> Path:
    """Write a file that can be run; return its path. A script without an interpreter is one of the shell."""
    write_file(path, script if script.startswith("#!") else f"#!/bin/sh\n{script}\n").chmod(0o755)
    return path


def git(folder: Path, *words: str) -> str:
    """Run git in a folder; return what it prints."""
    done = subprocess.run(["git", "-C", str(folder), *words], check=True, capture_output=True, text=True)
    return done.stdout.strip()


def commit(folder: Path, message: str = "change") -> str:
    """Commit all files of a repository; return the commit."""
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "-m", message)
    return git(folder, "rev-parse", "HEAD")
