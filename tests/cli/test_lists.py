"""``list``, ``show``, ``add``, ``edit``, ``merge``, ``snooze``, ``forget``: what they do."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from curator import clock, comparison
from curator.app import Curator
from curator.model import Category, Drift, Entry, Finding, Relating, Relation, State, Wording
from curator.settings import load
from curator.store.deliveries import Outcome as CameOfIt
from tests.cli.conftest import Make, Shell


def cast(make: Make) -> dict[str, Entry]:
    old = make(id="BBBB-0001", state=State.ACTIVE, headline="Use npm", slug="use-npm")
    rival = Relation(other=old.id, relating=Relating.CONTRADICTS, clash=(("npm", "pnpm"),))
    return {
        "candidate": make(id="AAAA-0001"),
        "lesson": old,
        "conflict": make(id="CCCC-0001", headline="Use pnpm", rival=rival),
        "stale": make(id="DDDD-0001", state=State.ACTIVE, findings=(Finding(path="a.py", drift=Drift.DELETED),)),
        "retired": make(id="EEEE-0001", state=State.RETIRED),
        "dismissed": make(id="FFFF-0001", state=State.DISMISSED),
    }


def listed(shell: Shell, *options: str) -> list[str]:
    return sorted(row["id"][0] for row in shell.json("list", *options))


def test_each_option_lists_its_kind_and_several_add_up(shell: Shell, make: Make) -> None:
    shell.put(*cast(make).values())
    assert listed(shell) == ["B", "D"]
    assert listed(shell, "--candidates") == ["A"]
    assert listed(shell, "--conflicts") == ["C"]
    assert listed(shell, "--stale") == ["D"]
    assert listed(shell, "--retired") == ["E"]
    assert listed(shell, "--candidates", "--conflicts", "--stale") == ["A", "C", "D"]
    assert [row["kind"] for row in shell.json("list", "--conflicts", "--stale")] == ["conflict", "stale"]


def test_candidates_are_listed_with_scores_and_with_how_many_the_inbox_holds_back(shell: Shell, make: Make) -> None:
    first, *_ = shell.put(*(make(place=at) for at in range(9)), make(state=State.ACTIVE, slug="a", session="s2"))
    done = shell("list", "--candidates")
    assert done.out.count("(maybe)") == 9
    assert done.err == "The inbox hides 4 weaker cards; press + there to see them.\n"
    plain = shell("list")
    assert ("score" in plain.out, plain.err) == (False, "")
    assert shell("list", "--candidates", "--json").err == ""
    shell("snooze", first)
    rows = {row["id"]: row["state"] for row in shell.json("list", "--candidates")}
    assert (len(rows), rows[first]) == (9, "snoozed"), "a list knows no cap and shows what is put away"
    assert "snoozed)" in shell("list", "--candidates").out


def test_lists_by_category_and_time(shell: Shell, make: Make) -> None:
    day = 86_400.0
    shell.put(
        make(id="AAAA-0001", category=Category.TOOLING, updated=clock.now() - 3 * day),
        make(id="BBBB-0001", updated=clock.now() - 30 * day),
    )
    assert listed(shell, "--candidates", "--category", "tooling") == ["A"]
    assert listed(shell, "--candidates", "--since", "7d") == ["A"]
    assert listed(shell, "--candidates", "--since", "5w") == ["A", "B"]
    assert listed(shell, "--candidates", "--since", "2020-01-01") == ["A", "B"]
    assert listed(shell, "--candidates", "--since", "2999-01-01T12:00:00Z") == []


def test_show_speaks_of_the_other_side_the_wordings_and_the_quote(shell: Shell, make: Make) -> None:
    entries = cast(make)
    worded = make(id="GGGG-0001", wordings=(Wording("Shorter words", "Shorter words.", "shorter"),))
    shell.put(*entries.values(), worded)
    text = shell("show", "C").out
    assert "contradicts BBBB-0001: Use npm" in text
    assert "there 'npm', here 'pnpm'" in text
    assert "always use tool" in text
    assert "wording 1, shorter: Shorter words" in shell("show", "G").out
    assert "gone: a.py" in shell("show", "D").out
    (same,) = shell.put(make(headline="Lint first", insight="lint first!"))
    assert shell("show", same).out.lower().count("lint first") == 1


def test_keeping_with_an_offered_wording(shell: Shell, make: Make) -> None:
    (id_,) = shell.put(make(wordings=(Wording("One", "One.", "a"), Wording("Two", "Two.", "b"))))
    assert shell("keep", id_, "--wording", "3").code == 3
    shell.json("keep", id_, "--wording", "2")
    assert shell.json("show", id_)[0]["headline"] == "Two"


def test_added_by_hand(shell: Shell) -> None:
    (row,) = shell.json(
        "add", "Run", "make first", "--category", "tooling", "--file", "Makefile", "--file", "a/b", "--scope", "a, b/c"
    )
    assert [row[key] for key in ("headline", "category", "scope", "state")] == ["Run make first", "tooling", "paths", "active"]
    assert row["files"] == ["Makefile", "a/b"]
    assert ", for a, b/c\n" in shell("show", row["id"]).out
    assert [one["id"] for one in shell.json("list")] == [row["id"]]
    assert list((shell.folder / ".curator" / "lessons").glob("run-make-first-*.md"))


def test_edited_with_options(shell: Shell, make: Make) -> None:
    (id_,) = shell.put(make(scope="paths", paths=("a",)))
    changed = {"headline": "New", "insight": "New and whole.", "category": "tooling", "scope": "global"}
    (row,) = shell.json("edit", id_, *(word for key, value in changed.items() for word in (f"--{key}", value)))
    assert {key: row[key] for key in (*changed, "state")} == changed | {"state": "open"}
    assert shell.json("undo")[0]["undone"] == [id_]
    assert shell.json("show", id_)[0]["scope"] == "paths"


@pytest.fixture
def editor(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """Set an editor that replaces the text it is given; it notes what that was."""

    def put(text: str, variable: str = "EDITOR") -> None:
        script = tmp_path / "editor.py"
        script.write_text(
            f"import sys, pathlib\npath = pathlib.Path(sys.argv[1])\n"
            f"pathlib.Path({str(tmp_path / 'seen')!r}).write_text(path.read_text())\npath.write_text({text!r})\n"
        )
        monkeypatch.setenv(variable, f"{sys.executable} {script}")

    return put


def test_edited_in_an_editor(shell: Shell, make: Make, editor: Callable[..., None], tmp_path: Path) -> None:
    (id_,) = shell.put(make(headline="Old", insight="Old insight."))
    editor("Not this one\n", "EDITOR")
    editor("New\n\nNew insight,\nwrapped.\n", "VISUAL")
    (row,) = shell.json("edit", id_)
    assert (row["headline"], row["insight"]) == ("New", "New insight, wrapped.")
    assert (tmp_path / "seen").read_text() == "Old\n\nOld insight.\n"


@pytest.mark.parametrize(("text", "code"), [("Old\n\nOld insight.\n", 0), ("\n\n", 3)])
def test_an_editor_may_change_nothing(shell: Shell, make: Make, editor: Callable[..., None], text: str, code: int) -> None:
    (id_,) = shell.put(make(headline="Old", insight="Old insight."))
    editor(text)
    done = shell("edit", id_)
    assert done.code == code
    assert done.err
    assert shell.json("show", id_)[0]["headline"] == "Old"
    assert shell("undo").err == "curator: There is nothing to undo.\n"


def test_editing_without_an_editor_says_what_to_do(shell: Shell, make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    (id_,) = shell.put(make())
    done = shell("edit", id_)
    assert done.code == 2
    assert "curator edit --help" in done.err
    monkeypatch.setenv("EDITOR", os.path.join(os.sep, "no", "such", "editor"))
    assert shell("edit", id_).code == 3


def test_a_new_headline_alone_says_what_agents_go_on_being_told(shell: Shell, make: Make) -> None:
    (id_,) = shell.put(make(headline="Log with slog", insight="Log with slog so that levels can be set.", slug="t"))
    done = shell("edit", id_, "--headline", "Log with slog, levels per package", "--json")
    assert done.one["insight"] == "Log with slog so that levels can be set."
    assert "still get: “Log with slog so that levels can be set.”" in done.err
    assert "still get" not in shell("edit", id_, "--headline", "Log with slog", "--json").err


def test_merged_without_a_text_the_words_stay_and_the_proposal_is_printed(shell: Shell, make: Make) -> None:
    source = make(headline="Build with make release", insight="Build with make release, never with make alone.")
    target = make(state=State.ACTIVE, slug="t", headline="Build with make", insight="Build with make, and set CI=1 for that")
    done = shell("merge", *shell.put(source, target), "--json")
    assert (done.one["headline"], done.one["insight"]) == (target.headline, target.insight)
    assert comparison.merge(target, source)[1] in done.err


def test_merged_with_a_text(shell: Shell, make: Make) -> None:
    source, target = shell.put(make(), make(state=State.ACTIVE, slug="t"))
    (row,) = shell.json("merge", source, target, "--text", "Both in one\nAnd why.")
    assert (row["id"], row["headline"], row["insight"]) == (target, "Both in one", "And why.")
    assert len(row["evidence"]) == 2
    assert shell("merge", target, target).code == 3
    done = shell("supersede", target, target)
    assert (done.code, "can't supersede itself" in done.err) == (3, True)


@pytest.mark.parametrize(
    ("until", "code"), [("7d", 0), ("2999-01-01", 0), ("2020-01-01", 2), ("0d", 2), ("999999999w", 2), ("all", 2)]
)
def test_snoozed_until_a_time_to_come_and_never_to_the_past(shell: Shell, make: Make, until: str, code: int) -> None:
    (id_,) = shell.put(make())
    assert shell("snooze", id_, "--until", until).code == code
    assert shell.state(id_) == ("open" if code else "snoozed")
    assert ("No more cards" in shell("review", "--plain").out) == (code == 0)


def test_lesson_files_go_out_and_come_in(shell: Shell, make: Make, other: Path) -> None:
    (id_,) = shell.put(make(state=State.ACTIVE, headline="Use tabs", insight="Use tabs", slug="use-tabs"))
    assert shell.json("export")[0]["written"] == 1
    (file,) = (shell.folder / ".curator" / "lessons").glob("*.md")
    assert shell("--project", other, "import", file.parent).code == 0
    file.write_text(file.read_text().replace("Use tabs", "Use spaces"))
    (file.parent / "bad-aaaa-0000.md").write_text("---\nid: AAAA-0000\ncategory: [\n---\n# x\n")
    done = shell("import", "--json")
    assert done.code == 3
    assert (done.one["changed"], done.one["added"]) == (1, 0)
    (refused,) = done.one["refused"]
    assert refused["file"].endswith("bad-aaaa-0000.md")
    assert refused["line"] > 0
    assert refused["reason"] in done.err
    assert shell.json("show", id_)[0]["headline"] == "Use spaces"


def test_keys_are_those_of_the_table(shell: Shell) -> None:
    from curator.keymap import ACTIONS

    assert [row["action"] for row in shell.json("keys")] == [action.name for action in ACTIONS]
    text = shell("keys").out
    assert all(action.help in text for action in ACTIONS)
    assert "  : theme" in text, "an action without a key is found by its name"


def test_keys_can_be_given_to_others_and_printed_for_the_settings(shell: Shell) -> None:
    printed = shell("keys", "--toml").out
    settings = load()
    settings.home.mkdir(parents=True, exist_ok=True)
    settings.file.write_text(printed.replace('copy = "c"', 'copy = "O"'), encoding="utf-8")
    assert {row["action"]: row["keys"] for row in shell.json("keys")}["copy"] == ["O"]
    assert 'copy = "O"' in shell("keys", "--toml").out
    settings.file.write_text('[keys]\nkeep = "x"\n', encoding="utf-8")
    done = shell("keys")
    assert (done.code, done.out) == (3, "")
    assert "the key x: keep and drop" in done.err


def test_what_went_stale_is_noticed_by_asking(shell: Shell) -> None:
    code = shell.folder / "cache.py"
    code.write_text("TTL = 60\n", encoding="utf-8")
    shell("add", "The cache lives a minute", "--file", "cache.py")
    assert shell("list", "--stale").out == ""
    code.write_text("TTL = 3600\n", encoding="utf-8")
    assert "The cache lives a minute" in shell("list", "--stale").out


def test_a_session_is_known_by_how_its_id_begins(shell: Shell, make: Make) -> None:
    shell.put(make(session="11111111-aaaa"), make(session="11111111-bbbb"), make(session="22222222-cccc"))
    assert "No more cards" not in shell("review", "--plain", "--session", "2222", typed="q\n").out
    assert shell("forget", "--session", "11111111").code == 3
    for left in (1, 0):
        assert shell("forget", "--session", "11111111-a", "--json").one == {"forgotten": left}


def test_what_expired_is_listed_and_reopened(shell: Shell, make: Make) -> None:
    (id_, _) = shell.put(make(state=State.EXPIRED), make())
    (row,) = shell.json("list", "--expired")
    assert (row["id"], row["state"]) == (id_, "expired")
    assert shell("list", "--expired").out.split()[:2] == [id_, "E"]
    (told,) = shell.json("reopen", id_)
    assert (told["id"], told["state"]) == (id_, "open")
    assert shell("reopen", id_).code == 3
    assert len(shell.json("list", "--candidates")) == 2
    assert shell.json("list", "--expired") == []


def test_what_decisions_hide_is_counted_and_comes_back(shell: Shell, make: Make) -> None:
    (weak,) = shell.put(make(score=0.86, score_parts={"base": 0.5}))
    taught = shell.put(*(make(score=0.9, session=f"taught {n}") for n in range(8)))
    assert shell("retire", *taught).code == 0
    (row,) = shell.json("list", "--candidates")
    assert (row["id"], row["score"] < 0.8) == (weak, True)
    assert "The inbox hides 1 weaker card; press + there to see them." in shell("list", "--candidates").err
    assert "0/8  You stated a rule; counts less now" in shell("stats").out
    assert "     1  weaker: press + in the inbox" in shell("status").out
    shell("stats", "--reset-learning")
    assert "weaker" not in shell("status").out


def test_show_says_what_the_score_is_made_of(shell: Shell, make: Make) -> None:
    why = {"held": 0.9, "base": -2.5} | {f"part_{n}": n / 100 for n in range(1, 10)}
    (id_,) = shell.put(make(score=0.86, signal="root-cause", score_parts=why))
    told = shell("show", id_).out
    assert "Likely, by the rule root-cause (The agent found the cause); reasons for it" in told
    assert "  +0.90  the change then passed its first run" in told
    assert "  +0.04  part 4" in told
    assert "part 3" not in told
    assert "  and 3 smaller" in told


def test_show_says_what_came_of_telling_it_the_newest_first(shell: Shell, make: Make) -> None:
    (id_,) = shell.put(make(state=State.ACTIVE))
    came = [
        ("helped", "quiet", ""),
        ("hurt", "report", "no \x1b[31muse\nhere"),
        ("ignored", "again", "I said: ninja"),
        ("hurt", "against", ""),
        ("helped", "decision", "confirmed"),
        ("helped", "report", ""),
    ]
    curator = Curator(load())
    for day, (kind, source, note) in enumerate(came):
        outcome = CameOfIt(lesson=id_, session=f"s{day}", project="p", at=day * 86_400.0, kind=kind, source=source, note=note)
        with curator.store.transaction():
            curator.store.deliveries.record(outcome)
    curator.close()
    lines = [line.strip() for line in shell("show", id_).out.splitlines() if line.startswith("  1970-01-0")]
    assert lines == [
        "1970-01-06  helped   reported by an agent",
        "1970-01-05  helped   a person's decision: confirmed",
        "1970-01-04  hurt     contradicted",
        "1970-01-03  ignored  said again: I said: ninja",
        "1970-01-02  hurt     reported by an agent: no use here",
    ]
    assert "outcomes" not in shell.json("show", id_)[0], "for scripts there is `stats`"


def test_the_history_says_of_what_it_speaks_in_the_words_of_the_inbox(shell: Shell) -> None:
    long = "Retry uploads three times, then give up and say so in the log of the worker"
    kept, gone = (shell.json("add", text)[0]["id"] for text in (long, "Use tabs"))
    shell("retire", kept)
    shell("forget", gone)
    newest, *older = shell("history").out.splitlines()
    assert newest.endswith("(deleted)")
    (retired,) = [line for line in older if f"retired      {kept}" in line]
    assert retired.endswith("Retry uploads three times, then give up and say so in the l…")
    assert f"  retired by person (event {retired.split()[0]})" in shell("show", kept).out


def test_where_there_is_nothing_it_is_said_what_to_do(shell: Shell, make: Make, other: Path) -> None:
    assert "See `curator list --help`" in shell("list").err
    assert "No statistics in this project yet. Run `curator` to scan and decide" in shell("stats").out
    shell.put(make(headline="Use tabs"), folder=other)
    assert "1 card in other projects: use --all" in shell("list").err
    assert "or use --all" in shell("stats").out
    shell.put(make(headline="Use tabs"))
    assert "1 card to decide: run `curator`, or `curator list --candidates`" in shell("list").err
    assert "waiting" in shell("stats").out


def test_the_cost_of_lessons_is_bounded_and_too_many_lessons_are_named(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    assert shell.json("list", "--cost") == [{"lessons": 0, "all": 0, "start": 0, "prompt": 0, "file": 0, "block": 0}]
    shell.add("Run the migrations before the first test")
    (one,) = shell.json("list", "--cost")
    assert 0 < one["all"] < one["file"] == one["prompt"]
    for number in range(9):
        shell.add(f"Module {number} of the ledger is read only while the export {number} runs at night")
    (many,) = shell.json("list", "--cost")
    assert many["lessons"] == 10
    assert many["all"] > many["prompt"] > many["file"] > one["file"]
    assert many["prompt"] <= 1_200 / 4
    assert "max_lessons" not in shell("list", "--cost").err
    monkeypatch.setenv("CURATOR_MAX_LESSONS", "9")
    assert "This project has 10 lessons, more than 9 (max_lessons)." in shell("list", "--cost").err
    assert "10 lessons, more than 9" in shell("tidy").err
