"""The examples in docstrings are true."""

from __future__ import annotations

import doctest
import importlib
import inspect
import pkgutil

import curator

MODULES = [info.name for info in pkgutil.walk_packages(curator.__path__, "curator.") if not info.name.endswith("__main__")]


def test_examples() -> None:
    modules = [module for module in map(importlib.import_module, MODULES) if ">>>" in inspect.getsource(module)]
    results = {module.__name__: doctest.testmod(module) for module in modules}
    assert [name for name, result in results.items() if result.failed] == []
    assert sum(result.attempted for result in results.values()) >= 15
