"""The circle closes: a person corrects an agent once; what comes of telling that to the next sessions decides how it is told.

Everything runs as it does on a person's machine: scans, hooks and servers are processes, the transcript is written as the
agent writes it, keeping is a key in the inbox. Nothing here is told to wait: what runs by itself is polled for.
"""

from __future__ import annotations

import sys
from typing import Any

import pytest

from tests.e2e.world import Session, World, ids, new_session
from tests.sayings import UV, VENDOR

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="hooks leave their work behind the POSIX way")

ASKED = "why did the nightly sync overwrite what we changed in vendor/?"


async def learnt(world: World) -> str:
    """A person corrects the agent, a scan finds it, ``y`` keeps it; returns the lesson's id."""
    session = world.session(ago=3_600)
    session.asks("please update the retry helper under vendor/")
    session.answers("I will edit vendor/retry.py.")
    session.asks(VENDOR)
    session.answers("Understood.")
    (scanned,) = [row for row in world.json("scan") if row["agent"] == "claude-code"]
    assert (scanned["files"], scanned["candidates"], scanned["errors"]) == (1, 1, 0)
    (card,) = world.json("list", "--candidates")
    assert card["evidence"][0]["quote"].startswith(VENDOR)
    assert world.hook("claude-code", "UserPromptSubmit", "before", prompt=ASKED) == b"", "nobody has kept it yet"
    async with world.desk() as press:
        await press("y")
    (lesson,) = world.json("list")
    assert (lesson["id"], lesson["state"]) == (card["id"], "active")
    return str(lesson["id"])


def told(world: World, text: str, lesson: str) -> None:
    """A hook's text carries the lesson and nothing else."""
    assert ids(text) == [lesson]
    assert text.splitlines()[1].startswith(f"{lesson}: ")
    assert "sync.toml" in text


def ends(world: World, session: Session) -> None:
    """The agent's turn ends: its hook answers nothing and has the transcript read by a process of its own."""

    def stop() -> None:
        assert world.hook("claude-code", "Stop", session.id, transcript_path=str(session.path), stop_hook_active=False) == b""

    def read() -> object:
        return world.row("SELECT 1 FROM files WHERE path = ?", str(session.path))

    world.wait_for(read, f"the reading of {session.path}", nudge=stop)


def outcomes(world: World, lesson: str) -> list[tuple[str, str, str]]:
    """What came of sending a lesson: session, kind and source of each."""
    with world.opened() as curator:
        return [(item.session, item.kind, item.source) for item in curator.store.deliveries.outcomes(lesson)]


def score(world: World, lesson: str) -> float:
    """How well a lesson fits what is asked, by ``curator search``."""
    found = {row["id"]: row["score"] for row in world.json("search", *ASKED.split())}
    return float(found[lesson])


async def ignored(world: World, lesson: str) -> Session:
    """A session that is told the lesson, does not heed it, and is corrected again."""
    name, text = world.insist("claude-code", "UserPromptSubmit", prompt=ASKED)
    told(world, text, lesson)
    session = world.session(name)
    session.hooked("UserPromptSubmit", text)
    session.asks(ASKED)
    session.answers("I will edit vendor/retry.py.")
    session.asks(VENDOR)
    session.answers("Sorry.")
    ends(world, session)
    world.wait_for(lambda: outcomes(world, lesson), "what came of sending it")
    return session


async def test_a_lesson_is_learnt_told_ignored_told_less_and_raised_again_by_what_an_agent_reports(world: World) -> None:
    lesson = await learnt(world)
    before = score(world, lesson)
    session = await ignored(world, lesson)
    assert outcomes(world, lesson) == [(session.id, "ignored", "again")]
    assert score(world, lesson) < before
    assert world.json("list", "--candidates") == [], "neither what a hook said nor the same words again make a card"
    (row,) = world.json("list")
    assert [item["quote"] for item in row["evidence"]] == [VENDOR, VENDOR], "it has a second witness, and no other"
    (decision,) = world.json("why", session.id)
    assert (decision["event"], [one["id"] for one in decision["shown"]]) == ("UserPromptSubmit", [lesson])
    assert lesson in world.run("why", session.id)
    (stats,) = world.json("stats")
    assert stats["deliveries"] >= 1
    assert (stats["outcomes"]["ignored"], stats["outcomes"]["helped"], stats["outcomes"]["after"]) == (1.0, 0, 1)
    assert "ignored 1" in world.run("show", lesson)
    low = score(world, lesson)
    from mcp import Client, StdioServerParameters, stdio_client  # at the top it would cost each worker a second

    server = StdioServerParameters(command=sys.executable, args=["-P", "-m", "curator", "mcp"], cwd=world.app, env=world.env)
    async with Client(stdio_client(server)) as client:
        found = await client.call_tool("search_lessons", {"query": ASKED})
        assert [one["id"] for one in content(found)["lessons"]] == [lesson]
        noted = await client.call_tool("report_outcome", {"id": lesson, "helped": True, "note": "the sync kept the change"})
        assert content(noted)["recorded"] is True
    assert sorted(kind for _, kind, _ in outcomes(world, lesson)) == ["helped", "ignored"]
    assert score(world, lesson) > low
    (stats,) = world.json("stats")
    assert (stats["outcomes"]["ignored"], stats["outcomes"]["helped"]) == (1.0, 0.5), "an agent counts for half a person"


def content(result: Any) -> dict[str, Any]:
    found: dict[str, Any] = result.structured_content
    return found


async def test_each_moment_tells_it_in_claude_code_s_dialect_and_once_a_session(world: World) -> None:
    """At the start only what is pinned; at a prompt and a file what is about them."""
    lesson = await learnt(world)
    (world.app / "vendor").mkdir()
    (world.app / "vendor" / "retry.py").write_text("x = 1\n", encoding="utf-8")
    touched: dict[str, Any] = {"tool_name": "Edit", "tool_input": {"file_path": str(world.app / "vendor" / "retry.py")}}
    name, text = world.insist("claude-code", "PreToolUse", tool_use_id="toolu_1", **touched)
    told(world, text, lesson)
    assert world.hook("claude-code", "UserPromptSubmit", name, prompt=ASKED) == b"", "once a session"
    _, text = world.insist("claude-code", "UserPromptSubmit", prompt=ASKED)
    told(world, text, lesson)

    def decided() -> Any:
        session = new_session()
        assert world.hook("claude-code", "SessionStart", session, source="startup") == b""
        return [row for row in world.json("why", "--project", str(world.app)) if row["session"] == session]

    (decision,) = world.wait_for(decided, "a hook that decides in time")
    assert (decision["shown"], [one["id"] for one in decision["withheld"]]) == ([], [lesson])
    world.run("edit", lesson, "--pin")
    _, text = world.insist("claude-code", "SessionStart", source="startup")
    told(world, text, lesson)
    world.run("edit", lesson, "--no-pin")
    decided()


async def test_a_second_correction_finds_its_own_card_beside_a_lesson_that_is_told(world: World) -> None:
    """Taking out what was injected must not take out what the person says around it."""
    lesson = await learnt(world)
    name, text = world.insist("claude-code", "UserPromptSubmit", prompt=ASKED)
    told(world, text, lesson)
    session = world.session(name)
    session.asks(f"{text}\n\n{ASKED}")
    session.answers(f"The hook says:\n\n{text}\n\nI will change sync.toml.")
    session.runs("pytest -q", f"1 failed\n{text}", failed=True)
    session.asks(UV)
    session.answers("Understood.")
    ends(world, session)
    found = world.json("detect", str(session.path))
    assert {one["quote"] for one in found} == {UV}, "also where no lesson is known that says it already"
    cards = world.wait_for(lambda: world.json("list", "--candidates"), "the card of the second correction")
    assert [card["evidence"][0]["quote"] for card in cards] == [UV]
    assert outcomes(world, lesson) == [], "it was heeded, and the session is not over"
