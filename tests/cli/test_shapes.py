"""Every object that ``--json`` prints has the keys that docs/json.md promises, no more and no fewer."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from curator.model import Drift, Entry, Finding, Relating, Relation, State
from curator.settings import load
from tests.cli.conftest import Make, Sessions, Shell
from tests.files import TOP

DOC = TOP / "docs" / "json.md"
ROW = [
    *("id", "kind", "state", "category", "headline", "insight", "scope", "project", "agent", "session", "score"),
    *("files", "created", "updated", "evidence"),
]
SHOWN = [*ROW, "context", "snippets", "symbols", "links", "events"]
EVENT = ["event", "batch", "at", "actor", "verb", "id", "before", "after"]
DECISION = ["id", "state", "event"]
CANDIDATE = [
    *("file", "line", "line_end", "also", "role", "quote", "category", "headline", "insight", "files", "symbols"),
    *("durability", "score", "why"),
]


def keys(done: list[dict[str, Any]]) -> list[str]:
    assert done
    assert all(list(one) == list(done[0]) for one in done)
    return list(done[0])


def documented(command: str) -> list[str]:
    """The keys that docs/json.md names for a command: in its table, or in the section that the table names."""
    text = DOC.read_text(encoding="utf-8")
    row = next(line for line in text.splitlines() if re.match(rf"\| [^|]*`{command}`", line))
    where = text.split(f"\n## {command}\n", 1)[1] if "| see [" in row else row
    inside = where.split("`{", 1)[1].split("}`", 1)[0]
    while "{" in inside or "[" in inside:
        inside = re.sub(r"\{[^{}\[\]]*\}|\[[^{}\[\]]*\]", "", inside)
    return [part.split(":")[0].strip() for part in inside.split(",")]


def cast(make: Make) -> list[Entry]:
    old = make(id="BBBB-0001", state=State.ACTIVE, headline="Use npm", slug="use-npm")
    rival = Relation(other=old.id, relating=Relating.CONTRADICTS, clash=(("npm", "pnpm"),), certain=True)
    stale = make(id="DDDD-0001", state=State.ACTIVE, slug="s", findings=(Finding(path="a.py", drift=Drift.DELETED),))
    return [make(), make(), make(), make(), old, make(id="CCCC-0001", rival=rival), stale]


def test_rows_are_the_same_wherever_they_are_printed(shell: Shell, make: Make) -> None:
    first, second, *_ = shell.put(*cast(make))
    for command in (["list"], ["list", "--candidates"], ["list", "--conflicts"], ["list", "--stale"], ["list", "--all"]):
        assert keys(shell.json(*command)) == ROW, command
    assert keys(shell.json("add", "Run make before make install")) == ROW
    assert keys(shell.json("edit", first, "--headline", "Other words")) == ROW
    assert keys(shell.json("merge", first, second)) == ROW
    shell.json("retire", second)
    assert keys(shell.json("list", "--retired")) == ROW
    assert keys(shell.json("show", second)) == SHOWN
    assert documented("list") == ROW
    (shown,) = shell.json("show", second)
    assert [set(item) for item in shown["evidence"]] == [{"file", "line", "role", "quote"}] * 2
    assert [list(event) for event in shown["events"]] == [EVENT] * len(shown["events"])
    assert shown["links"] == {}
    (merged,) = shell.json("show", first)
    assert merged["links"] == {"merged_into": second}


def test_values_of_a_row(shell: Shell, make: Make) -> None:
    entry = make(files=("a.py",), score=0.123456, scope="global")
    shell.put(entry)
    (row,) = shell.json("list", "--candidates")
    assert row == {
        "id": entry.id,
        "kind": "candidate",
        "state": "open",
        "category": "convention",
        "headline": entry.headline,
        "insight": entry.insight,
        "scope": "global",
        "project": "app",
        "agent": "claude-code",
        "session": "s1",
        "score": 0.123,
        "files": ["a.py"],
        "created": "2026-05-28T20:26:40Z",
        "updated": "2026-05-28T20:26:40Z",
        "evidence": [{"file": "a.jsonl", "line": 1, "role": "human", "quote": "always use tool 1"}],
    }


def test_decisions(shell: Shell, make: Make) -> None:
    first, second, third, fourth, old, new, stale = shell.put(*cast(make))
    kept = shell.json("keep", first, second)
    assert [(one["id"], one["state"]) for one in kept] == [(first, "active"), (second, "active")]
    assert keys(kept) == DECISION == documented("keep")
    assert keys(shell.json("retire", first, third, "--reason", "wrong")) == DECISION
    assert [one["state"] for one in shell.json("snooze", fourth)] == ["snoozed"]
    replaced = shell.json("supersede", second, fourth)
    assert [(one["id"], one["state"]) for one in replaced] == [(second, "retired"), (fourth, "active")]
    assert keys(replaced) == DECISION
    assert [one["state"] for one in shell.json("keep", new)] == ["active"]
    assert [one["state"] for one in shell.json("show", old)] == ["retired"]
    assert [one["state"] for one in shell.json("keep", stale)] == ["active"]
    assert not shell.json("list", "--stale")
    events = shell.json("history")
    assert keys(events) == EVENT == documented("history")
    assert [event["event"] for event in events] == sorted((event["event"] for event in events), reverse=True)
    assert next(event for event in events if event["event"] == kept[0]["event"])["verb"] == "keep"


def test_undo_and_redo_name_their_event_and_what_changed(shell: Shell, make: Make) -> None:
    first, second = shell.put(make(), make())
    (kept,) = shell.json("keep", first)
    shell.json("keep", second)
    (undone,) = shell.json("undo", "--event", str(kept["event"]))
    assert keys([undone]) == ["event", "undone"] == documented("undo")
    assert undone["undone"] == [first]
    assert shell.json("show", first)[0]["events"][-1]["event"] == undone["event"]
    (redone,) = shell.json("redo", "--event", str(undone["event"]))
    assert keys([redone]) == ["event", "undone"]
    assert redone["undone"] == [first]
    assert shell.json("show", first)[0]["state"] == "active"


def test_what_moves_in_and_out(shell: Shell, sessions: Sessions, make: Make, tmp_path: Path) -> None:
    path = sessions("s1")
    scanned = shell.json("scan", "--root", sessions.root)
    assert keys(scanned) == ["agent", "files", "turns", "candidates", "errors"] == documented("scan")
    assert (scanned[0]["agent"], scanned[0]["files"], scanned[0]["errors"]) == ("claude-code", 1, 0)
    found = shell.json("detect", path)
    assert keys(found) == CANDIDATE == documented("detect")
    assert len(found) == scanned[0]["candidates"] > 0
    shell.put(make(state=State.ACTIVE, slug="one"))
    assert shell("export", tmp_path / "out", "--json").one == {"written": 1, "unchanged": 0, "removed": 0}
    assert documented("export") == ["written", "unchanged", "removed"]
    assert documented("forget") == ["forgotten"]
    assert shell("import", tmp_path / "out", "--json").one == {"added": 0, "changed": 0, "conflicts": 0, "refused": []}
    assert documented("import") == ["added", "changed", "conflicts", "refused"]
    assert keys(shell.json("where")) == ["database", "log", "spool", "settings", "exports", "roots"] == documented("where")
    (places,) = shell.json("where")
    names = ("database", "log", "spool", "settings", "exports")
    assert all(str(places[name]).startswith(str(load().home)) for name in names)
    assert set(places["roots"]) >= {"claude-code", "codex"}
    text = shell("where").out
    assert places["database"] in text
    assert all(len(line.split(maxsplit=1)) == 2 for line in text.splitlines()), "names and places stand apart"
    numbers = shell.json("stats")
    assert keys(numbers) == documented("stats")
    assert {"decisions", "seconds_median", "seconds_p90", "over_5s", "deliveries", "outcomes"} <= set(numbers[0])


def test_stats_count_what_is_stale_by_what_became_of_it(shell: Shell, make: Make) -> None:
    drifts = (Drift.BODY, Drift.DELETED, Drift.DELETED, Drift.MOVED)
    for drift in drifts:
        grave, note = Finding(path="a.py", drift=drift), Finding(path="b.py", drift=Drift.BODY, severity=0.3)
        shell.put(make(state=State.ACTIVE, slug="one", findings=(note, grave)))
    shell.put(make(state=State.ACTIVE, slug="two", findings=(Finding(path="b.py", severity=0.1),)))
    (found,) = shell.json("stats")
    assert found["stale"] == {"changed": 1, "gone": 2, "relocated": 1}
    assert found["cleanup"]["stale"] == 4
    assert "stale              4  lessons by the state of their code: 1 changed, 2 gone, 1 relocated" in shell("stats").out


def test_links_of_every_kind_are_shown(shell: Shell, make: Make) -> None:
    entry = make()._replace(refines=("AAAA-9999",), coexists=(("BBBB-9999", "other folder"),))
    (id_,) = shell.put(entry)
    (shown,) = shell.json("show", id_)
    assert shown["links"] == {"refines": ["AAAA-9999"], "coexists": [["BBBB-9999", "other folder"]]}
