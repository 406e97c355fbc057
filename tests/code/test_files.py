"""Files that a text names."""

from __future__ import annotations

from pathlib import Path

import pytest

from curator.code import mentions
from tests.files import write_file


@pytest.fixture
def folder(tmp_path: Path) -> str:
    for name in ("src/pay.py", "Makefile", "README.md", "web/app.test.tsx", "e.g"):
        path = tmp_path / "app" / name
        write_file(path)
    (tmp_path / "outside.py").touch()
    return str(tmp_path / "app")


@pytest.mark.parametrize(
    ("text", "files"),
    [
        ("never call refund() twice in src/pay.py, it is not idempotent", ("src/pay.py",)),
        ("`web/app.test.tsx` before src/pay.py.", ("web/app.test.tsx", "src/pay.py")),
        ("README.md is generated (see ./README.md)", ("README.md",)),
        ("ask the Makefile, or what is in src", ()),
        ("src/gone.py, ../outside.py and /etc/hosts are nothing of ours", ()),
        ("plain words. And/or others.", ()),
        (f"{'a' * 5_000}.py and a/{'../' * 2_000}b.py", ()),
    ],
)
def test_a_word_counts_where_it_looks_like_a_path_and_the_file_is_there(folder: str, text: str, files: tuple[str, ...]) -> None:
    assert mentions(folder, text) == files


def test_a_list_of_many_is_cut(folder: str) -> None:
    for number in range(9):
        (Path(folder) / f"{number}.py").touch()
    assert len(mentions(folder, " ".join(f"{number}.py" for number in range(9)))) == 6
