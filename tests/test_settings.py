"""Settings from file and environment; whatever is wrong with them is named with its place."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as some

from curator.errors import CuratorError
from curator.keymap import ACTIONS, keymap
from curator.memories import STORES
from curator.settings import NOTE_AGENTS, Settings, load, remember


def written(home: Path, text: str) -> dict[str, str]:
    home.mkdir(exist_ok=True)
    (home / "settings.toml").write_text(text, encoding="utf-8")
    return {"CURATOR_HOME": str(home)}


def test_defaults_hold_without_a_file(tmp_path: Path) -> None:
    assert load({"CURATOR_HOME": str(tmp_path)}) == Settings(home=tmp_path)


def test_a_byte_order_mark_before_the_settings_does_no_harm(tmp_path: Path) -> None:
    (tmp_path / "settings.toml").write_text('distiller = "own"\n', encoding="utf-8-sig")
    settings = load({"CURATOR_HOME": str(tmp_path)})
    assert settings.distiller == "own"
    remember(settings, "distiller", "none")
    assert load({"CURATOR_HOME": str(tmp_path)}).distiller == "none"


def test_the_file_and_then_the_environment_win(tmp_path: Path) -> None:
    env = written(tmp_path, 'per_session = 3\nexclude = ["~/private/*"]\nascii = true\n[keys]\nkeep = "k"\n')
    found = load(env)
    assert (found.per_session, found.exclude, found.ascii, found.keys) == (3, ("~/private/*",), True, {"keep": "k"})
    found = load(env | {"CURATOR_PER_SESSION": "7", "CURATOR_ASCII": "0", "CURATOR_EXCLUDE": "/a:/b"})
    assert (found.per_session, found.exclude, found.ascii) == (7, ("/a", "/b"), False)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("per_session = 'three'", "per_session must be a whole number"),
        ("per_session = true", "per_session must be a whole number"),
        ("snooze_hours = -1", "snooze_hours must be a whole number from 0 to"),
        ("ascii = 1", "ascii must be true or false"),
        ("exclude = [1]", "exclude must be a list of texts"),
        ("capp = 3", "no setting 'capp'"),
        ("per_session = ", "settings.toml"),
        ("[keys]\nkeep = 3", "keys must be a table of texts"),
        ("memories = 'of'", "memories must be one of off, read, ask, apply, not 'of'"),
        ("[memories_of]\ncodex = 'yes'", "memories must be one of"),
        ("[memories_of]\nclaude = 'read'", "memories_of: there is no agent 'claude'"),
    ],
)
def test_what_is_wrong_is_named_with_its_place(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(CuratorError, match=said) as caught:
        load(written(tmp_path, text))
    assert "settings.toml" in str(caught.value)


PIECES = b"per_session exclude distill_command distill_price [keys] keep = 5 -1 0.5 ['a'] 'k' [ { true \xff".split(b" ")


@given(some.lists(some.sampled_from([*PIECES, b"\n", b" "]), max_size=9).map(b"".join))
def test_whatever_stands_in_the_file_is_read_or_refused(tmp_path_factory: pytest.TempPathFactory, content: bytes) -> None:
    home = tmp_path_factory.getbasetemp()
    (home / "settings.toml").write_bytes(content)
    with suppress(CuratorError):
        load({"CURATOR_HOME": str(home)})


def test_every_agent_with_notes_may_have_a_value_of_its_own() -> None:
    assert {*NOTE_AGENTS} == {store.agent for store in STORES}


def test_a_bad_variable_is_named(tmp_path: Path) -> None:
    with pytest.raises(CuratorError, match="CURATOR_PER_SESSION must be a whole number"):
        load({"CURATOR_HOME": str(tmp_path), "CURATOR_PER_SESSION": "many"})
    with pytest.raises(CuratorError, match="CURATOR_PER_SESSION must be a whole number"):
        load({"CURATOR_HOME": str(tmp_path), "CURATOR_PER_SESSION": "--5"})


def test_what_is_remembered_stands_beside_the_rest(tmp_path: Path) -> None:
    env = written(tmp_path, "# mine\nper_session = 3\n[keys]\nkeep = 'k'\n")
    remember(load(env), "theme", "nord")
    remember(load(env), "theme", "gruvbox")
    found = load(env)
    assert (found.theme, found.per_session, found.keys) == ("gruvbox", 3, {"keep": "k"})
    assert "# mine" in (tmp_path / "settings.toml").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"keep": "qqq"}, "no key 'qqq'"),
        ({"kepe": "y"}, "no action 'kepe'"),
        ({"keep": "x"}, "Two actions have the key x: keep and drop"),
    ],
)
def test_keys_that_cannot_work_are_named(changes: dict[str, str], said: str) -> None:
    with pytest.raises(CuratorError, match=said):
        keymap(changes)


def test_every_key_of_the_table_is_one_that_a_person_may_name() -> None:
    shown = {action.name: " ".join(action.keys) for action in ACTIONS}
    assert keymap(shown) == keymap()
