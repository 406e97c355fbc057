"""``scan`` and ``detect``: what is read, what is named, what is left for later."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from curator.settings import load
from tests.cli.conftest import RULE, RULES, Sessions, Shell


def test_what_detect_shows_is_what_scan_stores(shell: Shell, sessions: Sessions) -> None:
    path = sessions("s1")
    shown = {one["quote"] for one in shell.json("detect", path)}
    assert not load().database.exists()
    shell.json("scan", "--root", sessions.root)
    stored = {row["evidence"][0]["quote"] for row in shell.json("list", "--candidates")}
    assert stored == shown
    assert RULE in shown


def test_detect_names_the_file_as_it_was_given(shell: Shell, sessions: Sessions) -> None:
    path = sessions("s1")
    (shell.folder / "link").symlink_to(path.parent)
    for name in (str(path), f"link/{path.name}", f"./link/.//{path.name}"):
        assert {one["file"] for one in shell.json("detect", name)} == {name}
    below = path.relative_to(sessions.root)
    assert {one["file"] for one in shell.json("detect", below, "--root", sessions.root)} == {str(below)}
    assert {one["file"] for one in shell.json("detect", "--root", sessions.root)} == {str(below)}
    assert {one["file"] for one in shell.json("detect", path, "--root", sessions.root)} == {str(path)}


def test_detect_gives_the_lines_of_the_quotes_best_first(shell: Shell, sessions: Sessions) -> None:
    path = sessions("s1", ["Hello there.", *RULES])
    found = shell.json("detect", path)
    lines = path.read_text(encoding="utf-8").splitlines()
    for one in found:
        assert one["quote"] in json.loads(lines[one["line"] - 1])["message"]["content"]
        assert 0 <= one["line_end"] - one["line"] <= 20
        assert one["role"] == "user"
    assert [one["score"] for one in found] == sorted((one["score"] for one in found), reverse=True)


def test_the_limit_counts_for_each_file(shell: Shell, sessions: Sessions) -> None:
    first, second = sessions("s1"), sessions("s2")
    all_of_them = shell.json("detect", first, second, "--limit", "0")
    assert len(all_of_them) > 2
    best = shell.json("detect", first, second, "--limit", "1")
    assert [one["file"] for one in best] == [str(first), str(second)]
    assert best[0]["score"] == max(one["score"] for one in all_of_them)


def test_why_a_session_gave_nothing_is_said(shell: Shell, sessions: Sessions) -> None:
    sessions("a-card")
    sessions("known", RULES)
    sessions("idle", ["Hello there.", "thanks"])
    headless = sessions("headless", RULES)
    headless.write_text(headless.read_text().replace('"userType"', '"entrypoint": "sdk-cli", "userType"'))
    wordless = sessions("wordless", [f"<task-notification><result>{RULE}</result></task-notification>"])
    said = shell("scan", "--root", sessions.root)
    assert "4 sessions gave no card: " in said.err
    for reason in (
        "run by a program",
        "no words of a person",
        "nothing worth keeping",
        "only statements that you already have",
    ):
        assert f"1 {reason}" in said.err, reason
    assert f"{headless}" not in said.err
    assert "gave no card" not in shell("scan", "--root", sessions.root).err, "nothing was read anew"
    load().database.unlink()
    said = shell("scan", "--root", sessions.root, "--verbose")
    assert f"{headless}: run by a program, without a person" in said.err
    assert f"{wordless}: no words of a person" in said.err
    assert "(run by a program, without a person)" in shell("detect", headless).err


def test_in_one_json_document_messages_are_counted_from_naught(shell: Shell) -> None:
    said = [("user", "Hello there."), ("assistant", "Hello."), ("user", RULE), ("assistant", "I see."), ("user", RULE)]
    history = [{"message": {"role": role, "content": words}, "contextItems": []} for role, words in said]
    document = {"sessionId": "s1", "title": "Talk", "workspaceDirectory": str(shell.folder), "history": history}
    (shell.folder / "s1.json").write_text(json.dumps(document))
    (found,) = shell.json("detect", "s1.json")
    assert found["quote"] in RULE
    assert {found["message"], *found["also_messages"]} == {2, 4}
    assert not found.keys() & {"line", "line_end", "also"}


def test_lines_where_the_same_is_said_again_are_named_once_and_in_order(shell: Shell, sessions: Sessions) -> None:
    path = sessions("s1", [RULE, "Hello there.", RULE, "Good.", RULE])
    (found,) = shell.json("detect", path)
    assert found["also"] == [line for line in (1, 3, 5) if line != found["line"]]


def test_the_limit_counts_for_each_session_of_one_file(shell: Shell) -> None:
    sessions_of = "".join(
        f"\n# aider chat started at 2026-02-0{day} 10:00:00\n\n" + "".join(f"#### {rule}  \n\nAll right.\n\n" for rule in rules)
        for day, rules in enumerate([RULES[:2], RULES[1:]], 1)
    )
    (shell.folder / ".aider.chat.history.md").write_text(sessions_of)
    everything = shell.json("detect", ".aider.chat.history.md", "--limit", "0")
    best = shell.json("detect", ".aider.chat.history.md", "--limit", "1")
    assert (len(everything), len(best)) == (4, 2)
    second = sessions_of[: sessions_of.rindex("# aider")].count("\n") + 1
    assert sorted(one["line"] > second for one in best) == [False, True]


def test_files_that_are_no_transcripts_are_named_and_the_others_read(shell: Shell, sessions: Sessions) -> None:
    path = sessions("s1")
    (shell.folder / "notes.txt").write_text("Buy milk.\n")
    (shell.folder / "empty.jsonl").write_text("")
    done = shell("detect", "notes.txt", "empty.jsonl", "absent.jsonl", ".", "a\0b", path, "--json")
    assert done.code == 0
    assert {one["file"] for one in done.objects} == {str(path)}
    assert [line.split(":")[0] for line in done.err.splitlines()] == ["notes.txt", "empty.jsonl", "absent.jsonl", ".", "ab"]
    assert shell("detect", "notes.txt", "--json").code == 3


def test_lines_that_are_broken_are_named_and_the_others_read(shell: Shell, sessions: Sessions) -> None:
    path = sessions("s1")
    with path.open("a") as file:
        file.write('{"type": "user", "message"\n')
    with path.open("ab") as file:
        file.write(b"\xff\xfe{\n")
    done = shell("detect", path, "--json")
    assert done.code == 0
    assert done.objects
    assert f"{path}:{len(RULES) + 1}" in done.err
    done = shell("scan", "--root", sessions.root, "--json")
    assert done.code == 0
    assert done.one["errors"] == len([line for line in done.err.splitlines() if str(path) in line]) > 0
    assert done.one["candidates"] > 0


def test_what_was_not_read_is_told_from_what_holds_no_lesson(shell: Shell, sessions: Sessions) -> None:
    quiet = sessions("s1", ["hello"])
    done = shell("detect", quiet)
    assert (done.code, done.out) == (0, "")
    assert done.err.count("\n") == 1
    assert f"{quiet}: no lesson in 1 turn" in done.err
    assert shell("detect", quiet, "--json").err == ""
    with quiet.open("a") as file:
        file.write('{"type": "user", "mess')
    done = shell("detect", quiet, "--json")
    assert (done.code, done.err) == (0, f"{quiet}:2: the last 22 bytes are an incomplete record; skipped\n")
    with quiet.open("a") as file:
        file.write('age": 1}\n' + '{"type": "brand-new", "sessionId": "s1"}\n' * 30)
    assert "brand-new ×30" in shell("detect", quiet, "--json").err


def test_a_file_of_which_nothing_could_be_read_is_3(shell: Shell) -> None:
    torn = shell.folder / "ui_messages.json"
    torn.write_text('[{"ts": 1, "type": "say", "say": "text", "text": "Use uv, n')
    for arguments in (["--json"], []):
        done = shell("detect", torn.name, *arguments)
        assert (done.code, done.out) == (3, "")
        assert "no whole JSON document" in done.err
        assert "no lesson" not in done.err


def test_a_folder_is_told_how_it_is_meant(shell: Shell, sessions: Sessions) -> None:
    sessions("s1")
    done = shell("detect", sessions.root)
    assert (done.code, done.out) == (3, "")
    assert f"{sessions.root}: this is a folder" in done.err
    assert "--root" in done.err


def test_several_roots_and_one_that_is_missing(shell: Shell, sessions: Sessions, tmp_path: Path) -> None:
    sessions("s1", days_ago=300)
    assert shell.json("scan", "--root", sessions.root, "--since", "30d") == []
    done = shell("scan", "--root", tmp_path / "absent", "--root", sessions.root, "--root", sessions.root, "--json")
    assert done.code == 0
    assert (done.one["files"], done.one["candidates"] > 0) == (1, True), "with a root everything is read unless told"
    assert str(tmp_path / "absent") in done.err
    (again,) = shell.json("scan", "--root", sessions.root)
    assert (again["turns"], again["candidates"]) == (0, 0)


def test_the_native_places_are_read_thirty_days_back(shell: Shell, tmp_path: Path, isolation: Path) -> None:
    sessions = Sessions(isolation / ".claude", shell.folder)
    sessions("new")
    sessions("old", days_ago=31)
    sessions("older", days_ago=300)
    done = shell("scan", "--json")
    assert (done.code, done.one["files"]) == (0, 1)
    assert "2 older transcripts were skipped" in done.err
    assert "--since all" in done.err
    assert "1 older transcript was skipped" in shell("scan", "--since", "60d").err
    done = shell("scan", "--since", "all", "--json")
    assert (done.one["files"], done.err) == (3, "")


def test_a_history_inside_a_project_is_read_in_that_one(shell: Shell, other: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (other / ".aider.chat.history.md").write_text(
        "# aider chat started at 2026-01-02 10:00:00\n\n#### never edit vendor by hand, it is synced\n\nUnderstood.\n", "utf-8"
    )
    monkeypatch.setenv("PWD", str(other / "stale"))
    assert shell.json("scan", "--since", "all") == []
    (found,) = shell.json("--project", other, "scan", "--since", "all")
    assert (found["agent"], found["files"]) == ("aider", 1)


def test_the_text_says_what_was_found(shell: Shell, sessions: Sessions, tmp_path: Path) -> None:
    sessions("s1")
    done = shell("scan", "--root", sessions.root)
    assert (done.code, done.err, done.out.split()) == (0, "", "claude-code 1 file 3 turns 3 candidates".split())
    first = sessions("s1")
    first.with_name("s2.jsonl").write_text(first.read_text().replace('"sessionId":"s1"', '"sessionId":"s2"'))
    copied = shell("scan", "--root", sessions.root).out.split()
    assert copied == "claude-code 2 files 0 turns 0 candidates 1 session copied from another".split()
    done = shell("scan", "--root", tmp_path / "app")
    assert (done.code, done.out) == (0, "")
    assert "curator where" in done.err
    text = shell("detect", sessions.root / "projects" / "-work-app" / "s1.jsonl").out
    assert RULE.removeprefix("no, ")[:20] in text.lower()


@pytest.mark.parametrize("name", ["vendor\x1b[2J", "ümläut", "with space", "-dash"])
def test_odd_names(shell: Shell, sessions: Sessions, name: str) -> None:
    path = sessions(name)
    assert shell.json("detect", path)
    assert "\x1b" not in shell("detect", path).out
    assert shell.json("scan", "--root", sessions.root)[0]["files"] == 1


def test_rules_files_are_proposed_on_demand(shell: Shell) -> None:
    (shell.folder / "AGENTS.md").write_text("# Rules\n\n- Never edit vendor/ by hand, the sync overwrites it\n")
    assert shell.json("import", "--rules") == [{"added": 1, "changed": 0, "conflicts": 0, "refused": []}]
    assert shell("import", "--rules", "nowhere").code == 3
    (shell.folder / "CLAUDE.md").write_bytes(b"\xff\xfe")
    done = shell("import", "--rules", "--json")
    assert (done.code, done.one["refused"][0]["file"]) == (3, "CLAUDE.md")
