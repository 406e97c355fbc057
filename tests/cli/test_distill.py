"""``curator distill`` from end to end, with a real program; and nothing of it where no distiller is set."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from curator.settings import load
from tests.cli.conftest import Shell
from tests.cli.test_processes import CURATOR, environment
from tests.cli.test_shapes import documented
from tests.files import write_program
from tests.transcripts import transcript_records as records

PROGRAM = """
import sys
prompt = sys.stdin.read()
open({calls!r}, "a").write("x")
if {fails}:
    sys.exit("no model is loaded")
print({answer!r})
"""
LESSON = {
    "kind": "tooling",
    "headline": "Run `make db` before the tests",
    "insight": "The tests need `make db` first, or they find no schema.",
    "line": 4,
    "quote": "the tests find no schema without `make db`",
    "worth": 3,
}


@pytest.fixture
def calls(tmp_path: Path) -> Path:
    """Set a program as distiller; returns the file that it writes a letter into each time."""
    return program(tmp_path, fails=False)


def program(tmp_path: Path, *, fails: bool) -> Path:
    calls = tmp_path / "calls"
    calls.write_text("")
    use(tmp_path / "distiller.py", PROGRAM.format(calls=str(calls), fails=fails, answer=json.dumps([LESSON])))
    return calls


def use(script: Path, code: str) -> None:
    """Make a program the distiller."""
    script.write_text(code, encoding="utf-8")
    distiller(sys.executable, str(script))


def distiller(*command: str) -> None:
    """Make a command the distiller."""
    settings = load()
    settings.home.mkdir(parents=True, exist_ok=True)
    text = f'distiller = "command"\ndistill_command = {json.dumps(command)}\ndistill_price = 2.5\n'
    settings.file.write_text(text, encoding="utf-8")


def talked(folder: Path, root: Path) -> None:
    """Write two sessions in a project, each with a person's rule and what a model makes a lesson of."""
    for name, rule in (
        ("s-1", "no, never edit vendor/ by hand, always change `sync.toml` instead"),
        ("s-2", "stop, always log through slog here, never print to stdout in the server"),
    ):
        said = [
            records.user("fix the timeout in vendor/lib/http.py"),
            records.assistant(records.text("I edited vendor/lib/http.py.")),
            records.user(rule),
            records.assistant(records.text(f"Fine. Shall I look at why in {name} the tests find no schema without `make db`?")),
        ]
        told = [one | {"sessionId": name, "cwd": str(folder), "uuid": f"{name}-{at}"} for at, one in enumerate(said)]
        records.write(root / "projects" / "-app" / f"{name}.jsonl", *told)


@pytest.fixture
def sessions(shell: Shell, tmp_path: Path) -> None:
    """Two sessions in the project of the shell, scanned."""
    talked(shell.folder, tmp_path / "agents")
    assert shell("scan", "--root", str(tmp_path / "agents")).code == 0


CODEX_META = {"id": "s-3", "timestamp": "2026-03-01T10:00:00Z", "originator": "codex_cli_rs", "cli_version": "0.171.0"}


@pytest.fixture
def agents(shell: Shell, sessions: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A session of Codex beside those of Claude Code, and a folder of programs in place of both that note each prompt."""
    spoken = [
        records.payload("session_meta", **CODEX_META, cwd=str(shell.folder)),
        records.event("user_message", message="deploy the site"),
        records.message("assistant", "I ran `make site`."),
        records.event("user_message", message="no, never deploy by hand, always push a tag: CI deploys it"),
        records.message("assistant", "Fine. Why do the tests find no schema without `make db`?"),
    ]
    records.write(tmp_path / "agents" / "sessions" / "2026" / "03" / "01" / "rollout-s-3.jsonl", *spoken)
    assert shell("scan", "--root", str(tmp_path / "agents")).code == 0
    bin_ = tmp_path / "bin"
    said = json.dumps([LESSON])
    for name, prints in (("claude", json.dumps({"result": said})), ("codex", said)):
        code = f"import sys\nopen({str(bin_ / name)!r} + '.asked', 'a').write(sys.stdin.read())\nprint({prints!r})\n"
        write_program(bin_ / name, f"#!{sys.executable}\n{code}")
    monkeypatch.setenv("PATH", str(bin_))
    monkeypatch.setenv("CURATOR_DISTILLER", "own")
    return bin_


def asked(agents: Path, name: str) -> str:
    file = agents / f"{name}.asked"
    return file.read_text(encoding="utf-8") if file.exists() else ""


def test_each_session_is_read_by_the_command_of_its_own_agent_and_no_other(shell: Shell, agents: Path) -> None:
    done = shell("distill", "--all-new", "--yes")
    assert "3 sessions: 3 calls to " in done.err
    assert "claude haiku" in done.err
    assert "codex gpt-6-luna" in done.err
    assert "sync.toml" in asked(agents, "claude")
    assert "sync.toml" not in asked(agents, "codex")
    assert "push a tag" in asked(agents, "codex")
    assert "push a tag" not in asked(agents, "claude")


def test_another_agent_s_command_reads_only_if_allowed(shell: Shell, agents: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (agents / "codex").unlink()
    assert "2 sessions: 2 calls to claude haiku" in shell("distill", "--all-new", "--yes").err
    assert "push a tag" not in asked(agents, "claude")
    monkeypatch.setenv("CURATOR_DISTILL_OTHERS", "1")
    assert "1 session: 1 call to claude haiku" in shell("distill", "--all-new", "--yes").err
    assert "push a tag" in asked(agents, "claude")


def test_a_reader_that_fails_stops_itself_and_no_other(shell: Shell, agents: Path, tmp_path: Path) -> None:
    for session in ("s-7", "s-8"):
        told = [records.user("hello"), records.assistant(records.text("Hello.")), records.user(f"list the files of {session}")]
        told = [
            one | {"sessionId": session, "cwd": str(shell.folder), "uuid": f"{session}-{at}"} for at, one in enumerate(told)
        ]
        records.write(tmp_path / "agents" / "projects" / "-app" / f"{session}.jsonl", *told)
    assert shell("scan", "--root", str(tmp_path / "agents")).code == 0
    for name in ("claude", "codex"):
        code = f"import sys\nopen({str(agents / name)!r} + '.asked', 'a').write('asked ')\nsys.exit(1)\n"
        (agents / name).write_text(f"#!{sys.executable}\n{code}", encoding="utf-8")
    done = shell("distill", "--all-new", "--yes")
    assert (asked(agents, "claude"), asked(agents, "codex")) == ("asked " * 3, "asked ")
    assert "claude haiku failed 3 times in a row" in done.err


def test_own_without_any_agent_s_command_says_so(shell: Shell, agents: Path) -> None:
    (agents / "codex").unlink()
    (agents / "claude").unlink()
    done = shell("distill", "--all-new", "--yes")
    assert (done.code, "No agent that can read sessions is on the PATH" in done.err) == (3, True)


def test_none_as_reader_asks_nobody(shell: Shell, agents: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CURATOR_READER", "none")
    done = shell("distill", "--all-new", "--yes")
    assert (done.code, "No model is set up" in done.err) == (3, True)
    assert [one for one in shell("doctor", "--json", "--ask").objects if one["check"] == "reader"] == []
    assert not asked(agents, "claude") + asked(agents, "codex")


def test_the_most_promising_session_is_read_first(shell: Shell, agents: Path, tmp_path: Path) -> None:
    dull = [records.user("hello"), records.assistant(records.text("Hello.")), records.user("list the files")]
    told = [one | {"sessionId": "s-9", "cwd": str(shell.folder), "uuid": f"s-9-{at}"} for at, one in enumerate(dull)]
    records.write(tmp_path / "agents" / "projects" / "-app" / "s-9.jsonl", *told)
    assert shell("scan", "--root", str(tmp_path / "agents")).code == 0
    order = [one["session"] for one in shell.json("read", "--all-new", "--estimate")]
    assert order[-1] == "s-9"
    assert order[:1] == [one["session"] for one in shell.json("distill", "--all-new", "--estimate", "--limit", "1")]


def test_without_a_distiller_nothing_happens_and_the_way_is_shown(shell: Shell, sessions: None) -> None:
    done = shell("distill", "--yes")
    assert (done.code, done.out) == (3, "")
    assert "No model is set up to read sessions" in done.err
    assert "distiller = " in done.err


def test_a_repository_sets_no_distiller(shell: Shell, sessions: None, tmp_path: Path) -> None:
    for file in ("settings.toml", ".curator/settings.toml", "curator.toml", ".curator.toml", "pyproject.toml"):
        (shell.folder / file).parent.mkdir(exist_ok=True)
        text = f'distiller = "command"\ndistill_command = ["touch", "{tmp_path / "owned"}"]\n'
        (shell.folder / file).write_text(f"{text}[tool.curator]\n{text}", encoding="utf-8")
    assert "No model is set up to read sessions" in shell("distill", "--yes").err
    assert not (tmp_path / "owned").exists()


def test_the_estimate_sends_nothing(shell: Shell, sessions: None, calls: Path) -> None:
    done = shell("distill", "--estimate")
    assert (done.code, done.out) == (0, "")
    assert "2 sessions: 2 calls to " in done.err
    assert "[3] USER: no, never edit vendor/ by hand" in shell("distill", "--show", "--session", "s-1").out
    assert "at your price" in done.err
    rows = shell.json("distill", "--estimate")
    assert [row["session"] for row in rows] == ["s-2", "s-1"] or [row["session"] for row in rows] == ["s-1", "s-2"]
    assert all(row["tokens"] > 500 and row["lessons"] == 0 for row in rows)
    assert calls.read_text() == ""


def test_the_estimate_needs_no_reader(shell: Shell, sessions: None) -> None:
    done = shell("read", "--estimate")
    assert done.code == 0
    assert "2 sessions: 2 calls to a model, which is not set up yet, about " in done.err
    assert [row["tokens"] > 500 for row in shell.json("read", "--estimate")] == [True, True]
    assert shell("read", "--yes").code == 3


@pytest.mark.parametrize(("typed", "sent"), [("y\n", "xx"), ("n\n", ""), ("\n", "")])
def test_only_a_person_can_be_asked_without_yes(shell: Shell, sessions: None, calls: Path, typed: str, sent: str) -> None:
    done = shell("distill", typed=typed)
    assert (done.code, done.out, "--yes" in done.err, calls.read_text()) == (2, "", True, "")
    shell.terminal = True
    done = shell("distill", typed=typed)
    assert (done.code, "Continue?" in done.err, "Nothing was sent" in done.err) == (0, True, not sent)
    assert calls.read_text() == sent


def test_from_a_session_to_a_lesson_and_back(shell: Shell, sessions: None, calls: Path) -> None:
    before = shell.json("list", "--candidates")
    done = shell("read", "--yes", "--session", "s-1")
    assert (done.code, done.err.count("\n")) == (0, 1)
    assert "1 session read: 1 new card, 0 candidates chosen, 1 left out." in done.out
    (row,) = [row for row in shell.json("list", "--candidates") if row["headline"] == LESSON["headline"]]
    assert row["evidence"][0]["quote"] == LESSON["quote"]
    assert shell.json("stats")[0]["decisions"] == 0
    assert all(line.split()[4] == "reader" for line in shell("history").out.splitlines() if " read " in line)
    assert " read " in shell("history").out
    shell.json("undo")
    assert shell.json("list", "--candidates") == before
    assert calls.read_text() == "x"


def test_failures_are_one_line_and_leave_the_inbox_as_it_was(shell: Shell, sessions: None, tmp_path: Path) -> None:
    program(tmp_path, fails=True)
    before = shell("list", "--candidates", "--json").out
    done = shell("distill", "--yes")
    assert done.code == 0
    assert "no model is loaded. The cards did not change" in done.err
    assert shell("list", "--candidates", "--json").out == before
    log = load().log.read_text(encoding="utf-8")
    assert log.count("the distiller command failed on") == 2
    assert "Traceback" not in log + done.err


def test_the_figures_are_those_of_the_reference(shell: Shell, sessions: None, calls: Path) -> None:
    rows = shell.json("distill", "--yes", "--limit", "1")
    assert [list(row) for row in rows] == [documented("read")]
    assert (rows[0]["lessons"], rows[0]["new"], rows[0]["left_out"]) == (1, 1, 1)
    assert len(shell.json("distill", "--yes", "--all-new")) == 1
    assert shell.json("distill", "--yes", "--all-new") == []
    assert calls.read_text() == "xx"


def test_doctor_asks_only_where_it_is_told_to(shell: Shell, tmp_path: Path) -> None:
    got = tmp_path / "got"
    lesson = LESSON | {
        "headline": "Never retry in the nightly job",
        "insight": "Never retry in the nightly job: the server counts each attempt and blocks us after three.",
        "line": 3,
        "quote": "the server counts each attempt and blocks us",
    }
    code = f"import sys\nopen({str(got)!r}, 'w').write(sys.stdin.read())\nprint({json.dumps([lesson])!r})\n"
    use(tmp_path / "one.py", code)
    (check,) = [row for row in shell("doctor", "--json").objects if row["check"] == "reader"]
    assert "doctor --ask" in check["detail"]
    assert not got.exists()
    (check,) = [row for row in shell("doctor", "--json", "--ask").objects if row["check"] == "reader"]
    assert "named 1 of 1 lesson" in check["detail"]
    program(tmp_path, fails=True)
    (check,) = [row for row in shell("doctor", "--json", "--ask").objects if row["check"] == "reader"]
    assert (check["ok"], "no model is loaded" in check["detail"]) == (False, True)


CHOOSES = """
import json, sys
asked = sys.stdin.read()
open({got!r}, "a").write(asked)
chosen = [line.split()[0] for line in asked.splitlines() if line.startswith("C") and {words!r} in line]
print(json.dumps([{{"candidate": name, "worth": 3}} for name in chosen]) if "Choose those" in asked else "I can't do that.")
"""
"""A small model: it can't word a lesson, but choose one."""


def test_a_small_model_only_chooses(shell: Shell, sessions: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    got = tmp_path / "got"
    use(tmp_path / "small.py", CHOOSES.format(got=str(got), words="never retry in the nightly job"))
    (check,) = [row for row in shell("doctor", "--json", "--ask").objects if row["check"] == "reader"]
    assert (check["ok"], "it could only choose among candidates" in check["detail"]) == (False, True)
    assert "distill_choose = true" in check["fix"]
    monkeypatch.setenv("CURATOR_DISTILL_CHOOSE", "1")
    (check,) = [row for row in shell("doctor", "--json", "--ask").objects if row["check"] == "reader"]
    assert (check["ok"], "named 1 of 1 lesson" in check["detail"]) == (True, True)
    use(tmp_path / "small.py", CHOOSES.format(got=str(got), words="vendor/"))
    before = [row for row in shell.json("list", "--candidates") if "vendor/" in row["insight"]]
    rows = {row["session"]: (row["chosen"], row["new"]) for row in shell.json("read", "--yes", "--all-new")}
    assert rows == {"s-1": (1, 0), "s-2": (0, 0)}
    (chosen,) = [row for row in shell.json("list", "--candidates") if "vendor/" in row["insight"]]
    assert [chosen["headline"]] == [row["headline"] for row in before], "the words stay"
    assert shell.json("read", "--yes", "--all-new") == [], "each is read once"


def test_doctor_warns_of_too_small_a_window(shell: Shell, sessions: None, calls: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for tokens, ok in (("4096", False), ("32768", True)):
        monkeypatch.setenv("CURATOR_DISTILL_CONTEXT", tokens)
        (check,) = [row for row in shell("doctor", "--json").objects if row["check"] == "reader"]
        assert (check["ok"], "distill_context is 4,096 tokens" in check["detail"]) == (ok, not ok)


def test_stats_say_what_a_model_took_and_what_became_of_its_cards(shell: Shell, sessions: None, calls: Path) -> None:
    shell("read", "--yes", "--session", "s-1")
    (row,) = [row for row in shell.json("list", "--candidates") if row["headline"] == LESSON["headline"]]
    shell.json("keep", row["id"])
    ((model, figures),) = shell.json("stats")[0]["distillers"].items()
    assert "distiller.py" in model
    assert (figures["sessions"], figures["kept"], figures["dropped"]) == (1, 1, 0)
    assert figures["cost"] == pytest.approx(figures["tokens"] * 2.5 / 1e6)
    assert "of its cards 1 kept" in shell("stats").out


@pytest.mark.parametrize("arguments", ["list --candidates", "scan", "review --plain", "distill --yes", "doctor"])
def test_without_a_distiller_no_network_library_is_loaded(shell: Shell, sessions: None, arguments: str) -> None:
    watch = (
        "import atexit, socket, sys\n"
        "def refuse(*_, **__): raise AssertionError('a socket was opened')\n"
        "socket.socket.connect = refuse\n"
        "atexit.register(lambda: print(sorted({'urllib.request', 'http.client', 'curator.distill.endpoint'}"
        " & sys.modules.keys()), file=sys.stderr))\n"
        "from curator.__main__ import main\n"
        f"sys.argv = ['curator', *{arguments.split()!r}]\n"
        "main()\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", watch],
        cwd=shell.folder,
        env=environment(),
        capture_output=True,
        timeout=60,
        stdin=subprocess.DEVNULL,
    )
    assert done.stderr.decode().splitlines()[-1] == "[]"
    assert b"a socket was opened" not in done.stderr


def test_who_stops_a_run_is_told_what_was_read(shell: Shell, sessions: None, tmp_path: Path) -> None:
    waits = tmp_path / "waits"
    code = (
        f"import pathlib, sys, time\nsys.stdin.read()\nseen = pathlib.Path({str(tmp_path / 'seen')!r})\n"
        f"if seen.exists():\n    pathlib.Path({str(waits)!r}).touch()\n    time.sleep(600)\n"
        f"seen.touch()\nprint({json.dumps([LESSON])!r})\n"
    )
    use(tmp_path / "slow.py", code)
    running = subprocess.Popen(
        [*CURATOR, "distill", "--yes"], cwd=shell.folder, env=environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert eventually(waits.exists)
    running.send_signal(signal.SIGINT)
    out, _ = running.communicate(timeout=60)
    assert running.returncode == 130
    assert b"1 session read: 1 new card" in out
    assert b"curator undo" in out
    assert str(LESSON["headline"]) in shell("list", "--candidates").out


def test_where_nothing_is_unread_the_way_to_more_is_shown(shell: Shell, sessions: None, calls: Path) -> None:
    assert "--all looks at every project" in shell("distill", "--yes", "--session", "nope").err
    shell("distill", "--yes", "--all-new")
    done = shell("distill", "--yes")
    assert "No session of this project is unread" in done.err
    assert "--all-new looks at older ones, --all at every project." in done.err
    assert "looks at" not in shell("distill", "--yes", "--all", "--all-new").err
    assert calls.read_text() == "xx"


def eventually(holds: Callable[[], bool]) -> bool:
    """Whether something comes to hold within a minute."""
    for _ in range(3_000):
        if holds():
            return True
        time.sleep(0.02)
    return False


def test_eval_judges_answers_and_counts_what_it_refuses(shell: Shell, tmp_path: Path) -> None:
    root, out, given = tmp_path / "agents", tmp_path / "prompts.jsonl", tmp_path / "answers.jsonl"
    talked(shell.folder, root)
    assert shell("eval", "distill", "--root", root, "--out", out).code == 0
    first = next(row for row in map(json.loads, out.open(encoding="utf-8")) if row["session"] == "s-1")
    assert "C1 [3]" in first["prompt"]
    chosen = LESSON | {"headline": "Change `sync.toml` only", "insight": "", "quote": "", "candidate": "C1"}
    lies = [LESSON | {"insight": "Ask Zorba first."}, LESSON | {"headline": "Ask Zorba"}, LESSON | {"kind": "wisdom"}]
    answer = {key: first[key] for key in ("file", "session", "part")} | {"answer": json.dumps([LESSON, chosen, *lies])}
    given.write_text(f"{json.dumps(answer)}\n{json.dumps(answer | {'session': 's-2', 'answer': 'no'})}\n", encoding="utf-8")
    done = shell("eval", "distill", "--root", root, "--answers", given)
    assert [row["line"] for row in done.objects] == [4, 3]
    assert done.err.splitlines() == [
        "2 refused: names what is not in the session",
        "1 refused: no such kind",
        "1 refused: the answer has no JSON",
    ]


def test_eval_writes_the_prompts_of_the_settings(shell: Shell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root, out = tmp_path / "agents", tmp_path / "prompts.jsonl"
    talked(shell.folder, root)
    asked = [records.user(f"and now step {at}, with what I told you: {'so and so ' * 100}") for at in range(10)]
    records.write(root / "projects" / "-app" / "long.jsonl", *(one | {"sessionId": "long"} for one in asked))

    def written() -> list[tuple[str, int, str]]:
        assert shell("eval", "distill", "--root", root, "--out", out).code == 0
        rows = map(json.loads, out.read_text(encoding="utf-8").splitlines())
        return [(row["session"], row["part"], row["prompt"]) for row in rows]

    wording = written()
    assert {name for name, _, _ in wording} == {"s-1", "s-2", "long"}
    monkeypatch.setenv("CURATOR_DISTILL_CONTEXT", "1")
    assert len([name for name, _, _ in written() if name == "long"]) > 1
    monkeypatch.setenv("CURATOR_DISTILL_CHOOSE", "true")
    choosing = written()
    assert {name for name, _, _ in choosing} == {"s-1", "s-2"}, "the others have no candidates"
    assert not {prompt for _, _, prompt in choosing} & {prompt for _, _, prompt in wording}
