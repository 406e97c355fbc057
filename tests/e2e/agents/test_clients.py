"""Real clients: what `curator install` sets up reaches their model, and what they write down is read without an echo.

They are run where they are found, in PATH or in the folder that ``CURATOR_E2E_AGENTS`` names; nothing is downloaded.
"""

from __future__ import annotations

import json
import re
import sqlite3
import subprocess
import sys
from contextlib import closing
from html import unescape
from itertools import chain
from pathlib import Path
from typing import Any

import pytest

from curator.hookspecs import Mark
from curator.transcripts import BUILT_IN
from tests.e2e.agents.clients import CLIENTS, CLINE, CONTINUE, FILE, FILED, FOLDER, PROMPT, START, Client, environment
from tests.e2e.agents.model import DONE, Model, serving, texts
from tests.e2e.terminal import terminal
from tests.e2e.world import World
from tests.files import TOP, write_file
from tests.sayings import UV, VENDOR

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="these processes are started the POSIX way")

SAID = f"why did the nightly sync overwrite what we changed in vendor/?\n\n{UV.removeprefix('no, ')}"
RULE = "uv run pytest"
"""Stands in the rule that a person types."""
LESSONS = {
    START: ("a release is built on the machine in the basement", "--pin"),
    PROMPT: (VENDOR.removeprefix("no, "), "--file", FILE, "--scope", "vendor/**"),
    FILED: ("delays count milliseconds, not seconds", "--file", FILE, "--scope", FILE),
}
"""Each is told at one moment: those with a scope never at a session's start, and of the others nobody asks."""
SERVED = FILE
"""Stands in what the server says of a lesson, not in what a hook does."""
BLOCK = re.compile(r'<curator-lessons v="1" ids="([^"]*)">(\n(?:.(?!<curator-lessons))*\n)</curator-lessons>', re.DOTALL)
WAITING = "---\nid: AAAA-0001\ncategory: tooling\nstate: active\n---\n# Uploads need the key\n\nUploads need the key.\n"
"""A lesson of a clone, which nobody has kept."""
SENTINEL, STRUCTURE = "<curator-lessons ", "left_out"
"""Stand in what the server says as text, and as structure."""
SECONDS = 240
TRIES = 3
"""A hook may be late on a busy machine; then the session is begun anew."""

every_client = pytest.mark.parametrize("client", CLIENTS, ids=lambda client: client.id)


@pytest.mark.timeout(TRIES * SECONDS)
@pytest.mark.shows("moments", "MCP", "transcript")
@every_client
def test_the_model_is_told_and_the_transcript_has_no_echo(
    client: Client, world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PWD", str(world.app))  # as a person's shell has it; an agent may keep its transcript there
    lessons = known(client, world)
    due = {lessons[moment] for moment in client.hears}
    model = next((model for _ in range(TRIES) if due <= hooked(model := session(client, world, "--no-files"))), None)
    assert model, f"{client.id} did not tell its model all of {lessons}; curator says: {world.run('why')} {world.log()}"
    assert client.tool in json.dumps(model.requests)
    if client.tool:
        served = [text for text in texts(model.told[-1:]) if lessons[PROMPT] in text and SERVED in text]
        assert served, "the server gave it, too"
        assert not any(SENTINEL in text and STRUCTURE in text for text in served), "as text or as structure, not both"
    no_echo(client, world, tuple(lessons.values()))
    if client.hears:
        decisions = world.json("why")
        assert not any("hook_context" in row["asked"]["prompt"] for row in decisions)
        assert decisions[0]["session"] in sessions(client, world), "hooks and transcript call it the same"
        if client.names_session:
            assert any(row["event"] == "search_lessons" for row in decisions), "what the server gave is known in that session"


@pytest.mark.timeout(TRIES * SECONDS)
@pytest.mark.shows("resume")
@every_client
def test_the_model_of_a_resumed_session_has_the_lessons_of_its_start(client: Client, world: World) -> None:
    if not client.resume:
        pytest.skip(f"{client.id} is not known to resume a session without a terminal, or does not listen at its start")
    lessons = known(client, world)
    with serving() as model:
        client.prepare(world, model)
        world.run("install", client.id, "--yes", "--no-files", "--no-mcp")
        run(client, world, model, *client.command("what does vendor/ hold?"))
        before = model.requests[:]
        run(client, world, model, *client.command("and who wrote it?"), *client.resume)
        assert lessons[START] in blocks(before)
        assert lessons[START] in blocks(model.requests[len(before) :])
    assert len({row["session"] for row in world.json("why")}) == 1, "it is the same session"


ASKED = "say why the nightly sync overwrote what we edit in vendor by hand"
LONG = " so on and on" * 2_000
"""What makes a session worth compacting."""


@pytest.mark.timeout(TRIES * SECONDS)
@pytest.mark.shows("compaction")
@every_client
def test_the_model_is_sent_a_lesson_again_after_compaction(client: Client, world: World) -> None:
    if not client.compact:
        pytest.skip(f"{client.id} is not known to compact a session when it is asked to, or has a test of its own")
    id_ = known(client, world)[PROMPT]
    with serving() as model:
        client.prepare(world, model)
        world.run("install", client.id, "--yes", "--no-files", "--no-mcp")
        compacted = (in_terminal if client.compact.startswith(">") else without_terminal)(client, world, model)
    before, after = (sum(id_ in ids.split() for ids in sentinels(model.requests[at])) for at in (compacted - 1, -1))
    kept = sum(text.startswith(ASKED + LONG) for text in texts(model.requests[-1]))
    assert after > before * kept, "the model has it beside or in place of what was said before"


def without_terminal(client: Client, world: World, model: Model) -> int:
    """A prompt, the command that compacts, the same prompt. Returns how many requests were made before compaction."""
    run(client, world, model, *client.command(ASKED + LONG))
    before = len(model.requests)
    call(client, world, model, *client.command(client.compact), *client.resume)
    run(client, world, model, *client.command(ASKED), *client.resume)
    return before


def in_terminal(client: Client, world: World, model: Model) -> int:
    """The same, typed."""
    words = [*client.command(ASKED + LONG)]
    words[words.index("-p")] = "-i"
    with terminal(world, [client.where(), *words], environment(world, model)) as screen:

        def more(words: str, count: int) -> None:
            wanted = len(model.requests) + count
            screen.type(words)
            world.wait_for(lambda: len(model.requests) >= wanted, words, nudge=screen.enter)

        world.wait_for(lambda: model.requests, "the first request")
        more(ASKED, 1)
        before = len(model.requests)
        more(client.compact[1:], 2)
        more(ASKED, 1)
    return before


@pytest.mark.timeout(SECONDS)
@pytest.mark.shows("compaction")
@pytest.mark.parametrize("client", [CLINE], ids=["cline"])
def test_what_is_compacted_without_a_hook_is_sent_again(client: Client, world: World) -> None:
    id_ = known(client, world)[PROMPT]
    write_file(world.app / FILE, "x = 1\n" * 3_000)  # so long that the agent no longer keeps the first text word for word
    read = client.calls(world.app)[0]
    with serving(read) as model:
        client.prepare(world, model)
        world.run("install", client.id, "--yes", "--no-files", "--no-mcp")
        words = [client.where(), "--tui", *client.command(ASKED + LONG)]
        with terminal(world, words, environment(world, model)) as screen:

            def answers() -> int:
                return sum(path.read_text(encoding="utf-8").count(DONE) for path in world.home.rglob("*.messages.json"))

            def reads_again() -> None:
                wanted = answers() + 1
                model.calls[:] = [read]
                screen.type(ASKED)
                world.wait_for(lambda: answers() == wanted, "the file is read again", nudge=screen.enter)

            def compact() -> None:
                screen.type("/compact")
                screen.enter()  # what comes too soon after an answer is cancelled

            world.wait_for(lambda: "anyotherkeytoclose" in screen.text, "the offer that covers the first screen")
            screen.type(" ")
            world.wait_for(answers, "the first answer")
            reads_again()
            reads_again()
            world.wait_for(lambda: [*world.home.rglob("*.compaction.json")], "compaction", nudge=compact)
            reads_again()
    sent = [any(id_ in ids.split() for ids in sentinels(request)) for request in model.requests[1:]]
    assert sent[-2:] == [False, True], "gone with the compaction, and there again"
    assert all(sent[:-2]), "sent once, and there until then"


@pytest.mark.timeout(TRIES * SECONDS)
@pytest.mark.shows("subagent")
@every_client
def test_a_subagent_is_sent_lessons_of_its_own(client: Client, world: World) -> None:
    if not client.delegate:
        pytest.skip(f"{client.id} is not known to have subagents whose tools fire hooks")
    id_ = known(client, world)[FILED]
    read = client.calls(world.app)[0]
    with serving(read, client.delegate, read) as model:
        client.prepare(world, model)
        world.run("install", client.id, "--yes", "--no-files", "--no-mcp")
        run(client, world, model, *client.command("have vendor/ looked through"))
    own = [request for request in model.told if str(client.delegate.given["prompt"]) in [*texts(request.get("messages"))]]
    assert own, "a subagent worked"
    assert id_ in blocks(own[-1:]), "it has a context of its own: what the session was sent it does not know"


@pytest.mark.timeout(TRIES * SECONDS)
@pytest.mark.shows("rules file")
@every_client
def test_the_model_reads_the_file(client: Client, world: World) -> None:
    lessons = known(client, world)
    model = session(client, world, "--files", "--no-hooks", "--no-mcp")
    assert any(LESSONS[START][0] in text for text in texts(model.told[:1])), lessons


@pytest.mark.timeout(TRIES * SECONDS)
@pytest.mark.shows("uninstall")
@every_client
def test_what_uninstall_leaves_is_what_the_client_wrote(client: Client, world: World) -> None:
    known(client, world)
    with serving(*client.calls(world.app)) as model:
        client.prepare(world, model)
        run(client, world, model, *client.command(SAID))  # it makes the files that it wants to have
        before = contents(world)
        world.run("install", client.id, "--yes", "--files")
        world.run("uninstall", client.id, "--yes")
        assert contents(world) == before
        world.run("install", client.id, "--yes", "--files")
        model.calls[:] = client.calls(world.app)
        run(client, world, model, *client.command(SAID))
        world.run("uninstall", client.id, "--yes")
    left = {path for path, content in contents(world).items() if b"curator hook" in content or b"-m curator" in content}
    assert {path for path in left if path not in before and not any(word in str(path) for word in HISTORIES)} == set()


HISTORIES = "session projects history logs tmp cache transcript debug .db chats telemetry backups".split()
"""What clients keep of what was done: what they called there stays."""


def contents(world: World) -> dict[Path, bytes]:
    """The files in the home and the project, without what is ours."""
    found = (path for top in (world.home, world.app) for path in top.rglob("*") if path.is_file() and not path.is_symlink())
    return {path: path.read_bytes() for path in found if ".curator" not in path.parts and ".git" not in path.parts}


@pytest.mark.timeout(TRIES * SECONDS)
def test_lessons_of_paths_are_read_where_rules_for_paths_never_load(world: World) -> None:
    known(CONTINUE, world)
    model = session(CONTINUE, world, "--files", "--no-mcp")
    assert any(f"In {FILE}: “{LESSONS[FILED][0]}" in text for text in texts(model.told[:1]))


@pytest.mark.timeout(TRIES * SECONDS)
@pytest.mark.parametrize("hides", [False, True], ids=["as it is", "without its variables"])
@every_client
def test_what_it_runs_in_its_shell_only_proposes(client: Client, hides: bool, world: World) -> None:
    if client.shell is None:
        pytest.skip(f"{client.id} lets its model run nothing by itself")
    known(client, world)
    write_file(world.app / ".curator" / "lessons" / "upload-aaaa-0001.md", WAITING)
    world.run("import")
    bare = f"env -i HOME={world.home} CURATOR_HOME={world.settings.home} PATH=/usr/bin:/bin PYTHONPATH={TOP} " if hides else ""
    python = f"{bare}{sys.executable} -P -m curator"
    command = f"{python} keep AAAA-0001; {python} add Feed the zebra before noon; true"
    with serving(client.shell(command)) as model:
        client.prepare(world, model)
        run(client, world, model, *client.command("what waits?"))
    assert {row["id"] for row in world.json("list", "--candidates")} >= {"AAAA-0001"}
    assert f"{client.id} wants to keep this" in world.run("show", "AAAA-0001")
    assert any(row["headline"] == "Feed the zebra before noon" for row in world.json("list", "--candidates"))


def known(client: Client, world: World) -> dict[str, str]:
    """The lessons, by the moment at which each is told. Skips where there is no such client."""
    if not client.where():
        pytest.skip(f"{client.program} is neither in PATH nor in the folder that {FOLDER} names")
    write_file(world.app / FILE, "x = 1\n")
    return {moment: str(world.json("add", *words)[0]["id"]) for moment, words in LESSONS.items()}


def session(client: Client, world: World, *ways: str) -> Model:
    """A whole session of a client with the scripted model, set up by `curator install`."""
    with serving(*client.calls(world.app)) as model:
        client.prepare(world, model)
        world.run("install", client.id, "--yes", *ways)
        run(client, world, model, *client.command(SAID))
    return model


def run(client: Client, world: World, model: Model, *arguments: str) -> None:
    """A client from its start to its end, with the model's last word."""
    done = call(client, world, model, *arguments)
    assert DONE in done.stdout, (done.stdout[-2_000:], done.stderr[-2_000:])


def call(client: Client, world: World, model: Model, *arguments: str) -> subprocess.CompletedProcess[str]:
    """A client from its start to its end."""
    done = subprocess.run(
        [client.where(), *arguments],
        cwd=world.app,
        env=environment(world, model),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=SECONDS,
    )
    assert done.returncode == 0, (done.stdout[-2_000:], done.stderr[-2_000:])
    return done


def hooked(model: Model) -> set[str]:
    """The ids that hooks told the model, from sentinels that are whole; what the server answers has another form.

    Gemini escapes what hooks say as if it were HTML.
    """
    return blocks(model.told[-1:])


def blocks(requests: list[Any]) -> set[str]:
    """The ids of the lessons in requests."""
    found = [BLOCK.findall(unescape(text)) for text in texts(requests)]
    return {id_ for ids, lines in chain(*found) for id_ in ids.split() if f"\n{id_}: " in lines}


def sentinels(request: Any) -> list[str]:
    """The ids of each sentinel in a request."""
    return [ids for text in texts(request) for ids, _ in BLOCK.findall(unescape(text))]


def no_echo(client: Client, world: World, lessons: tuple[str, ...]) -> None:
    """The client's own transcript: its turns are read, the person's rule is found, what was injected is not."""

    def read() -> tuple[Any, ...] | None:
        return world.row("SELECT path, unknown FROM files WHERE agent = ? AND turns > 1", client.id)

    nudge = (lambda: None) if client.hears else (lambda: world.json("scan"))
    path, unknown = world.wait_for(read, f"the reading of {client.id}'s transcript", nudge=nudge)
    assert unknown == "{}", "records that this format does not know"
    cards = world.json("list", "--candidates")
    if client.typed:
        assert cards == []
        cards = typed(client, world, Path(path))
    else:
        assert [card["agent"] for card in cards] == [client.id]
    said = [json.dumps(card, ensure_ascii=False) for card in cards]
    assert said, "the person's rule"
    assert all(RULE in text and not any(words in text for words in ("sync.toml", *lessons)) for text in said), said


def sessions(client: Client, world: World) -> set[str]:
    """The sessions that the client's transcripts are about, as they say themselves."""
    (format_,) = (format_ for format_ in BUILT_IN if format_.agent == client.id)
    places = format_.roots(world.home, {})
    paths = [path for place in places if place.exists() for path in format_.find(place)]
    return {turn.session for path in paths for turn in format_.read(path, Mark()).turns}


def typed(client: Client, world: World, path: Path) -> list[dict[str, Any]]:
    """What the same transcript gives if a person had typed in it, which is all that these records say otherwise."""
    copy = world.home / "typed" / path.parent.name / path.name
    if path.suffix == ".db":
        write_file(copy, "")
        with closing(sqlite3.connect(path)) as source, closing(sqlite3.connect(copy)) as target:
            source.backup(target)
            for statement in client.typed:
                target.execute(statement)
            target.commit()
        return world.json("detect", str(copy))
    for file in {path, *path.parent.glob("*.json")}:
        text = file.read_text(encoding="utf-8")
        for says, instead in client.typed.items():
            text = re.sub(says, instead, text)
        write_file(copy.with_name(file.name), text)
    return world.json("detect", str(copy))
