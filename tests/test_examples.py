"""The examples in docstrings are true."""

from __future__ import annotations

import doctest
import importlib
import pkgutil

import curator

MODULES = [info.name for info in pkgutil.walk_packages(curator.__path__, "curator.") if not info.name.endswith("__main__")]


def test_examples() -> None:
    assert [name for name in MODULES if doctest.testmod(importlib.import_module(name)).failed] == []


def test_there_are_examples() -> None:
    finder = doctest.DocTestFinder()
    found = [test for name in MODULES for test in finder.find(importlib.import_module(name)) if test.examples]
    assert len(found) >= 15
