"""Search by meaning: found whatever the words, computed once, gone with the words, and never in the way."""

from __future__ import annotations

import logging
import sqlite3
import subprocess
import sys
from array import array
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from pathlib import Path
from threading import Event

import pytest

from curator import app, plugins
from curator.app import Curator, search
from curator.app.mcp import Serving
from curator.errors import CuratorError
from curator.hookspecs import Embedder, MakeEmbedder, hookimpl
from curator.model import Change, Entry, State, Verb
from curator.settings import Settings, load
from curator.tui.background import Background
from tests.cli.conftest import Shell, shell  # noqa: F401 - a fixture
from tests.embed.conftest import MEANINGS, tensors

Make = Callable[..., Entry]
Put = Callable[..., str]
ASKED = "unstable suites"


class Plugin:
    """An embedder by another package: says what it was asked, answers with what a test wants."""

    name = "plugin 1"

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.answer: Callable[[str], Sequence[float]] = lambda text: [float("flaky" in text or "unstable" in text), 0.1]

    @hookimpl
    def register_embedders(self, register: Callable[[str, MakeEmbedder], None]) -> None:
        register("plugin", self._make)

    def _make(self, settings: Settings) -> Embedder:
        return self

    def embed(self, texts: Sequence[str]) -> list[Sequence[float]]:
        self.asked += texts
        return [self.answer(text) for text in texts]


@pytest.fixture
def plugin(tmp_path: Path) -> Iterator[Plugin]:
    made = Plugin()
    plugins.manager().register(made)
    yield made
    plugins.manager().unregister(made)


@pytest.fixture
def work(tmp_path: Path) -> Path:
    made = tmp_path / "app"
    made.mkdir()
    return made


def opened(work: Path, embedder: str, folder: Path) -> Curator:
    curator = Curator(load()._replace(embedder=embedder, embedder_folder=str(folder)))
    project = curator.enter(str(work))
    with curator.store.transaction():
        curator.store.sources.remember(project, project.folder)
    return curator


@pytest.fixture
def curator(work: Path, plugin: Plugin, tmp_path: Path) -> Iterator[Curator]:
    """With the plugin set; its folder, which it does not need, tells one test's from another's."""
    made = opened(work, "plugin", tmp_path)
    yield made
    made.close()


def put(curator: Curator, make: Make, text: str, **fields: object) -> str:
    entry = make(**({"state": State.ACTIVE, "headline": text, "insight": text, "project": curator.scope} | fields))
    curator.store.apply([(Verb.ADD, Change(before=None, after=entry))], actor="test", at=1.0)
    return entry.id


def found(curator: Curator, words: str = ASKED) -> list[str]:
    return [match.entry.id for match in search.search(curator, words).matches]


def stored(curator: Curator) -> set[str]:
    with closing(sqlite3.connect(curator.settings.database)) as other:
        return {row[0] for row in other.execute("SELECT lesson FROM vectors")}


def test_a_lesson_is_found_that_shares_no_word(folder: Path, work: Path, make: Make) -> None:
    with closing(opened(work, "static", folder)) as curator:
        flaky, retry = put(curator, make, "Flaky tests hide bugs"), put(curator, make, "Retry once")
        assert found(curator) == []
        assert app.search.refresh(curator) == 2
        assert found(curator) == [flaky]
        assert found(curator, "do it again") == [retry]
        assert found(curator, "zanzibar") == []
        (match,) = search.search(curator, ASKED).matches
        assert match.parts["meaning"] == pytest.approx(search.WEIGHT * (1.0 - search.LEVEL), abs=0.05)


def test_a_model_that_is_replaced_meanwhile_is_made_anew(folder: Path, work: Path, make: Make) -> None:
    with closing(opened(work, "static", folder)) as curator:
        flaky, retry = put(curator, make, "Flaky tests hide bugs"), put(curator, make, "Retry once")
        app.search.refresh(curator)
        assert found(curator) == [flaky]
        rows = [MEANINGS["retry" if word in ("unstable", "suites") else word] for word in MEANINGS]
        (folder / "model.safetensors").write_bytes(tensors(rows, "F16"))
        assert found(curator) == []
        assert app.search.refresh(curator) == 2
        assert found(curator) == [retry]


def test_what_shares_words_stays_first_and_has_the_part_besides(curator: Curator, make: Make) -> None:
    words, means = put(curator, make, "unstable suites are skipped"), put(curator, make, "flaky ones, too")
    before = search.search(curator, ASKED).matches
    app.search.refresh(curator)
    after = search.search(curator, ASKED).matches
    assert [match.entry.id for match in before] == [words]
    assert [match.entry.id for match in after] == [words, means]
    assert {name: part for name, part in after[0].parts.items() if name != "meaning"} == before[0].parts


def test_global_lessons_are_found_and_those_of_other_projects_are_not(curator: Curator, make: Make) -> None:
    shared = put(curator, make, "flaky everywhere", project="elsewhere", scope="global")
    put(curator, make, "flaky elsewhere", project="elsewhere")
    app.search.refresh(curator)
    assert found(curator) == [shared]


def test_what_is_hardly_alike_is_not_found(curator: Curator, plugin: Plugin, make: Make, work: Path) -> None:
    cosines = {"first": search.ALONE + 0.01, "second": search.ALONE - 0.01, "third": -1.0}
    plugin.answer = lambda text: [cosines[text], (1 - cosines[text] ** 2) ** 0.5] if text in cosines else [1.0, 0.0]
    first, *_ = (put(curator, make, text) for text in cosines)
    app.search.refresh(curator)
    assert found(curator) == [first]
    assert [row["id"] for row in Serving(curator.settings, str(work)).search(ASKED, [], "", 5, "")] == [first]


def test_no_more_than_the_likest_join(curator: Curator, make: Make) -> None:
    for at in range(search.BEST + 5):
        put(curator, make, f"flaky {at}")
    app.search.refresh(curator)
    assert len(found(curator)) == search.BEST


def test_only_what_changed_is_embedded(curator: Curator, plugin: Plugin, make: Make) -> None:
    put(curator, make, "flaky tests")
    other = put(curator, make, "names of things")
    assert (app.search.refresh(curator), app.search.refresh(curator)) == (2, 0)
    plugin.asked.clear()
    curator.verdicts.edit(other, headline="names of people", insight="")
    assert app.search.refresh(curator) == 1
    assert plugin.asked == ["names of people"]
    plugin.name = "plugin 2"
    assert found(curator) == []
    assert app.search.refresh(curator) == 2
    assert len(found(curator)) == 1


def test_a_scan_ends_with_it_and_can_be_stopped(curator: Curator, make: Make, work: Path) -> None:
    one = put(curator, make, "flaky tests")
    stop = Event()
    stop.set()
    assert search.refresh(curator, stop) == 0
    app.scan.scan(curator, roots=[work])
    assert stored(curator) == {one}


class Window:
    """As much of an application as threads speak to."""

    def __init__(self, curator: Curator) -> None:
        self.curator = curator

    def post_message(self, message: object) -> bool:
        raise AssertionError(message)


def test_verdicts_in_the_inbox_are_followed_by_it(curator: Curator, make: Make) -> None:
    one = put(curator, make, "flaky tests", state=State.OPEN)
    curator.verdicts.accept([one])
    beside = Background(Window(curator), None, watch=False)
    beside.settle([one])
    beside.stop()
    assert stored(curator) == {one}


def test_a_vector_goes_with_its_words(curator: Curator, make: Make) -> None:
    edited, retired, forgotten, moved = (put(curator, make, f"flaky {at}") for at in range(4))
    app.search.refresh(curator)
    assert stored(curator) == {edited, retired, forgotten, moved}
    curator.verdicts.edit(edited, insight="another")
    assert edited not in stored(curator)
    curator.verdicts.drop([retired])
    app.forget.forget(curator, [forgotten])
    assert stored(curator) == {moved}
    curator.verdicts.edit(moved, category="decision")
    assert stored(curator) == {moved}


def test_of_what_is_forgotten_no_number_is_left_on_disk(curator: Curator, plugin: Plugin, make: Make) -> None:
    vector = [0.6, 0.8] * 64
    plugin.answer = lambda text: vector
    one = put(curator, make, "flaky tests")
    app.search.refresh(curator)
    needle, database = array("f", search.unit(vector)).tobytes(), curator.settings.database
    curator.store.empty_log()
    assert needle in database.read_bytes()
    assert app.forget.forget(curator, [one]).warnings == ()
    assert not any(needle in file.read_bytes() for file in database.parent.glob("curator.db*"))


def test_words_that_changed_meanwhile_are_not_given_the_vector_of_others(curator: Curator, plugin: Plugin, make: Make) -> None:
    one = put(curator, make, "flaky tests")

    def answer(text: str) -> Sequence[float]:
        if text == "flaky tests":
            curator.verdicts.edit(one, insight="names of people")
        return [1.0, 0.0]

    plugin.answer = answer
    app.search.refresh(curator)
    assert stored(curator) == set()
    app.search.refresh(curator)
    assert stored(curator) == {one}


def boom(text: str) -> Sequence[float]:
    raise RuntimeError("boom")


@pytest.mark.parametrize(
    ("answer", "complaint"),
    [
        (boom, "boom"),
        (lambda text: [float("nan"), 1.0], "no number"),
        (lambda text: [float("inf"), 1.0], "no number"),
        (lambda text: "words", "TypeError"),
        (lambda text: [1.0, 2.0, 3.0], "dimensions"),
    ],
)
def test_an_embedder_that_fails_leaves_search_to_words_and_is_named_once(
    curator: Curator,
    plugin: Plugin,
    make: Make,
    caplog: pytest.LogCaptureFixture,
    monkeypatch: pytest.MonkeyPatch,
    answer: Callable[[str], Sequence[float]],
    complaint: str,
) -> None:
    monkeypatch.setattr(search, "_reports", set())
    one = put(curator, make, "flaky unstable tests")
    app.search.refresh(curator)
    plugin.answer = answer
    caplog.set_level(logging.WARNING)
    for _ in range(3):
        result = search.search(curator, ASKED)
        assert [match.entry.id for match in result.matches] == [one]
        assert complaint in result.trouble
    assert sum("words alone" in record.getMessage() for record in caplog.records) == 1
    put(curator, make, "flaky names")
    if complaint != "dimensions":
        assert app.search.refresh(curator) == 0


def test_before_anything_is_embedded_it_is_said_how(curator: Curator, make: Make) -> None:
    assert search.search(curator, ASKED).trouble == ""
    put(curator, make, "flaky tests")
    assert "curator scan" in search.search(curator, ASKED).trouble


def test_a_name_that_nobody_has_is_an_error_that_lists_what_there_is(curator: Curator) -> None:
    with pytest.raises(CuratorError, match="no embedder 'nobody'") as caught:
        search.embedder_of(curator.settings._replace(embedder="nobody"))
    assert "onnx, plugin, static" in caught.value.hint


def test_agents_are_given_it_by_search(curator: Curator, make: Make, work: Path) -> None:
    one = put(curator, make, "flaky tests hide bugs")
    app.search.refresh(curator)
    rows = Serving(curator.settings, str(work)).search(ASKED, [], "", 5, "")
    assert [row["id"] for row in rows] == [one]


def test_the_command_line_warns_and_finds(shell: Shell, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:  # noqa: F811
    id_ = shell.json("add", "Unstable suites are skipped")[0]["id"]
    monkeypatch.setenv("CURATOR_EMBEDDER", "static")
    monkeypatch.setenv("CURATOR_EMBEDDER_FOLDER", str(tmp_path / "nowhere"))
    done = shell("search", "unstable", "--json")
    assert done.one["id"] == id_
    assert done.err.count("is no folder") == 1


def test_without_an_embedder_none_of_it_is_loaded(work: Path) -> None:
    code = "import sys; from curator.__main__ import main\ntry: main()\nfinally: print(*sys.modules, file=sys.stderr)"
    done = subprocess.run(
        [sys.executable, "-c", code, "search", "words", "--project", str(work)], capture_output=True, text=True, check=True
    )
    loaded = set(done.stderr.split())
    assert "curator.app.search" in loaded
    assert loaded & {"tokenizers", "onnxruntime", "curator.embed.models"} == set()
