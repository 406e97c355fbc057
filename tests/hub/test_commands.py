"""The commands, as a person or a script runs them."""

from __future__ import annotations

import builtins
import json
from pathlib import Path
from typing import Any

import pytest

from curator.hub import address, lacks_tls
from tests.cli.conftest import Shell
from tests.hub.conftest import Arrive, Database

TEXT = "Run make gen after an edit of a proto file"


def test_two_commands_start_a_hub(empty: Database, shell: Shell) -> None:
    (made,) = shell.json("hub", "create", empty.url(), "--team", "red")
    assert made["migrations"] == ["001_hub.sql"]
    assert "GRANT curator_write TO ann" in made["grants"]
    assert shell.json("hub", "create", empty.url())[0]["migrations"] == []
    assert shell.json("hub", "join", empty.url()) == [{"team": "red", "arrive": "candidate", "second": False}]
    id_ = shell.add(TEXT)
    assert shell.json("share", id_, "--team", "red") == [{"id": id_, "team": "red"}]
    (row,) = shell.json("hub", "status")
    assert (row["shared"], row["ahead"], row["behind"], row["refused"], row["error"]) == (1, 0, 0, [], None)
    assert row["last_seen"]
    assert shell.json("sync") == [{"team": "red", "sent": 0, "arrived": 0, "conflicts": 0, "refused": 0, "error": None}]


def test_the_printed_sql_lets_a_colleague_in(empty: Database, shell: Shell) -> None:
    (made,) = shell.json("hub", "create", empty.url(), "--team", "red")
    empty.ask("DROP ROLE IF EXISTS ann")
    for line in made["grants"].split("\n"):
        empty.ask(line)
    assert empty.ask("SELECT team, person FROM curator.member", login="ann") == [("red", "Ann")]


def test_search_finds_misspelt_words_among_what_one_may_read(hub: Database, machine: Arrive, shell: Shell) -> None:
    machine("ann", "red").shares(TEXT, "red")
    machine("eve", "blue").shares("Run make gen in blue", "blue")
    shell("hub", "join", hub.person("cid", "red", role="curator_read"))
    for words in ("editing protos", "mkae gen"):
        assert [(row["team"], row["headline"]) for row in shell.json("search", "--hub", words)] == [("red", TEXT)], words
    assert shell.json("search", "--hub", "turbine") == []
    assert shell("search", "--hub", "x", "--retired").code == 2


def test_leave_one_team_then_all(hub: Database, machine: Arrive, shell: Shell) -> None:
    shell("hub", "join", hub.person("cid", "red", "blue"))
    shell("add", TEXT)
    (lesson,) = shell.json("list")
    shell("share", lesson["id"], "--team", "blue")
    shell("retire", lesson["id"])
    assert shell("hub", "leave", "--team", "blue").code == 3
    assert shell.json("hub", "leave", "--team", "blue", "--discard") == [{"team": "blue"}]
    assert shell("hub", "leave", "--team", "blue").code == 3
    assert shell("hub", "leave").code == 0
    assert shell.json("hub", "status") == []
    assert shell("sync").code == 3


def test_drop_wants_its_name(hub: Database, shell: Shell) -> None:
    assert shell("hub", "drop", hub.url(), typed="yes\n").code == 2
    assert hub.ask("SELECT count(*) FROM curator.lesson") == [(0,)]
    assert shell("hub", "drop", hub.url(), typed="curator\n").code == 0
    assert hub.ask("SELECT 1 FROM pg_namespace WHERE nspname = 'curator'") == [], "nothing of it is left"
    assert shell("hub", "join", hub.url()).code == 3


def test_no_password_is_stored_and_a_bare_word_is_a_service(hub: Database, shell: Shell, isolation: Path) -> None:
    url = f"postgresql://cid:hunter2222@/{hub.name}?host={hub.server.folder}"
    hub.person("cid", "red")
    assert shell("hub", "join", url).code == 0
    assert "hunter2222" not in json.dumps(shell.json("hub", "status"))
    assert all(b"hunter2222" not in file.read_bytes() for file in (isolation / "curator").rglob("*") if file.is_file())
    assert address("mine") == "service=mine"


def test_the_errors_say_what_to_do(hub: Database, shell: Shell) -> None:
    for words, code, said in (
        (("hub", "join", "host=/nowhere dbname=x"), 3, "can't be reached"),
        (("hub", "join", hub.url(), "--team", "green"), 3, "not a member of the team green"),
        (("share", "AAAA-0001", "--team", "red"), 3, "have not joined the team red"),
        (("search", "--hub", "x"), 3, "joined no team"),
    ):
        done = shell(*words)
        assert (done.code, said in done.err) == (code, True), done.err


def test_doctor_says_what_is_wrong(hub: Database, shell: Shell) -> None:
    shell("hub", "join", hub.person("cid", "red"))

    def checks() -> list[dict[str, Any]]:
        return [row for row in map(json.loads, shell("doctor", "--json").out.splitlines()) if row["check"] == "hub"]

    assert [row["ok"] for row in checks()] == [True]
    hub.server.stop()
    try:
        assert [row["ok"] for row in checks()] == [False]
    finally:
        hub.server.start()
    assert [lacks_tls(f"host={host}") for host in ("db.example.com", "localhost", "/tmp")] == [True, False, False]
    assert [lacks_tls(f"host=db.example.com sslmode={mode}") for mode in ("require", "verify-full")] == [True, False]


def test_doctor_reads_what_a_service_says_of_tls(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    services = tmp_path / "services.conf"
    services.write_text("[far]\nhost=db.example.com\n[safe]\nhost=db.example.com\nsslmode=verify-full\n[near]\nhost=/tmp\n")
    monkeypatch.setenv("PGSERVICEFILE", str(services))
    assert {name: lacks_tls(address(name)) for name in ("far", "safe", "near")} == {"far": True, "safe": False, "near": False}


def test_without_psycopg_a_command_says_how_to_install_it(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    real = builtins.__import__

    def absent(name: str, *rest: Any, **more: Any) -> Any:
        if name.partition(".")[0] == "psycopg":
            raise ImportError(name)
        return real(name, *rest, **more)

    monkeypatch.setattr(builtins, "__import__", absent)
    done = shell("hub", "join", "mine")
    assert (done.code, "lesson-curator[hub]" in done.err) == (3, True)
    assert shell("sync").code == 3
