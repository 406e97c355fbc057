"""How much a class may do."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
from collections.abc import Iterator

import curator
from curator.tui.list_widget import RowList

MOST = 30
"""Methods of a class, with those that it inherits from classes of ours."""


def classes() -> Iterator[type]:
    for info in pkgutil.walk_packages(curator.__path__, "curator."):
        module = importlib.import_module(info.name)
        yield from (cls for cls in vars(module).values() if inspect.isclass(cls) and cls.__module__ == info.name)


def methods(cls: type) -> set[str]:
    """The names of its methods and properties, without those that ``dataclass`` writes."""
    found = set()
    for base in (base for base in cls.__mro__ if base.__module__.startswith("curator")):
        for name, value in vars(base).items():
            function = next((it for part in ("__func__", "fget", "func") if (it := getattr(value, part, None))), value)
            if inspect.isfunction(function) and function.__code__.co_filename != "<string>":
                found.add(name)
    return found


def test_no_class_does_more_than_one_can_keep_in_mind() -> None:
    assert {f"{cls.__module__}.{cls.__name__}" for cls in classes() if len(methods(cls)) > MOST} == set()


def test_inherited_methods_count() -> None:
    assert {"fit", "render_lines", "step"} <= methods(RowList)
