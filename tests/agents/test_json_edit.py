"""JSON settings edited as text: what is not ours keeps every byte, and what we put in comes out again exactly."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from curator.agents.install import json_edit
from curator.agents.install.catalog import AGENTS
from curator.agents.install.parts import Hooks, Member, Part, hook_targets, own_hooks, server_part
from curator.errors import MalformedFile

NAMES = st.sampled_from(["hooks", "mcpServers", "curator", "SessionStart", "Stop", "a", 'q"\\', "é", "x,y"])
SCALARS = st.none() | st.booleans() | st.integers(-9, 9) | st.text(max_size=5)
VALUES = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=3), max_leaves=8
)
OTHERS = st.fixed_dictionaries({"type": st.just("command"), "command": st.sampled_from(["lint", "echo 'curator'", "x # hook"])})
GROUPS = st.fixed_dictionaries({"hooks": st.lists(OTHERS, max_size=2)}, optional={"matcher": st.just("*")})
LISTS = st.dictionaries(
    st.sampled_from(["SessionStart", "Stop", "Other"]), st.lists(GROUPS, min_size=1, max_size=2), min_size=1
)
SERVERS = st.dictionaries(st.sampled_from(["other", "git"]), st.fixed_dictionaries({"command": st.just("x")}), min_size=1)
DOCUMENTS = st.dictionaries(st.sampled_from(["a", "b", 'q"\\', "é"]), VALUES, max_size=3).flatmap(
    lambda rest: st.fixed_dictionaries({}, optional={"hooks": LISTS, "mcpServers": SERVERS}).map(lambda own: rest | own)
)


@st.composite
def texts(draw: st.DrawFn) -> str:
    """A document in some layout: one line, indented, tabs, CRLF, trailing commas, comments at the ends of lines."""
    document = draw(DOCUMENTS)
    layout = draw(st.sampled_from(["line", "tight", "two", "four", "tab", "crlf", "commas", "comments"]))
    if layout in ("line", "tight"):
        text = json.dumps(document, separators=(",", ":") if layout == "tight" else None, ensure_ascii=draw(st.booleans()))
    else:
        indents: dict[str, int | str] = {"four": 4, "tab": "\t"}
        text = json.dumps(document, indent=indents.get(layout, 2), ensure_ascii=False)
    rows = text.split("\n")
    for at, row in enumerate(rows[:-1]):
        closing = rows[at + 1].strip()[:1] in ("]", "}")
        if layout == "commas" and closing:
            row += ","
        if layout == "comments" and draw(st.booleans()):
            row += ' // no, "this" { stays'
        rows[at] = row
    text = ("\r\n" if layout == "crlf" else "\n").join(rows)
    return text + draw(st.sampled_from(["", "\n", "\n\n"]) if layout != "crlf" else st.sampled_from(["", "\r\n"]))


def parts() -> list[tuple[str, Part]]:
    found: list[tuple[str, Part]] = []
    for agent in AGENTS:
        if agent.hooks and agent.hooks.shape in ("grouped", "flat"):
            place = agent.hooks.place
            found += [
                (agent.id, target.part)
                for target in hook_targets(agent.id, agent.hooks, place.path(Path("/h"), {}, None), shared=False)
            ]
        if agent.server and agent.server.shape in ("json", "words"):
            found.append((agent.id, server_part(agent.server, shared=False)))
    return found


PARTS = parts()


@given(text=texts(), which=st.sampled_from(PARTS))
def test_putting_in_and_taking_out_leaves_every_byte(text: str, which: tuple[str, Part]) -> None:
    part = which[1]
    there = part.put(text, "f")
    before, after = json_edit.load(text, "f"), json_edit.load(there, "f")
    assert part.put(there, "f") == there, "a second time there is nothing to do"
    assert {key: value for key, value in after.items() if key in before and key not in ("hooks", "mcpServers")} == {
        key: value for key, value in before.items() if key not in ("hooks", "mcpServers")
    }
    assert part.take(there, "f", text) == text


@given(text=texts(), key=NAMES, value=VALUES)
def test_put_then_drop_is_exact_and_means_what_it_says(text: str, key: str, value: Any) -> None:
    document = json_edit.load(text, "f")
    assume(key not in document)
    edited = json_edit.put(text, (key,), value, "f")
    assert json_edit.load(edited, "f") == document | {key: value}
    assert json_edit.drop(edited, (key,), "f") == text


@given(text=texts(), data=st.data())
def test_whatever_is_dropped_only_that_is_gone(text: str, data: st.DataObject) -> None:
    document = json_edit.load(text, "f")
    assume(document)
    key = data.draw(st.sampled_from(sorted(document)))
    left = json_edit.load(json_edit.drop(text, (key,), "f"), "f")
    assert left == {name: value for name, value in document.items() if name != key}


@given(st.text(alphabet='{}[]",:/*\\ \nau1-e.', max_size=30))
def test_any_text_is_read_or_refused_with_its_line(text: str) -> None:
    refusal = None
    try:
        json_edit.parse(text, "settings.json")
    except MalformedFile as error:
        refusal = error
    if refusal:
        assert refusal.message.startswith(f"settings.json:{refusal.line}: ")
        assert 1 <= refusal.line <= text.count("\n") + 1
        assert "curator did not change it" in refusal.hint


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("{", 1),
        ('{\n  "a": 1\n  "b": 2\n}', 3),
        ('{"a": 1}\n{"b": 2}', 2),
        ('{\n\n"a": tru}', 3),
        ("[" * 5000, 1),
        ('{"a": "\n"}', 1),
        ('{"a": 01}', 1),
        ("{'a': 1}", 1),
        ("[]", 1),
    ],
)
def test_what_is_broken_is_refused(text: str, line: int) -> None:
    with pytest.raises(MalformedFile) as caught:
        json_edit.load(text, "f")
    assert caught.value.line == line


def test_something_else_in_the_way_is_refused_with_its_line() -> None:
    for text in ('{\n "mcpServers": []\n}', '{\n "mcpServers": null\n}'):
        with pytest.raises(MalformedFile) as caught:
            json_edit.put(text, ("mcpServers", "curator"), {}, "f")
        assert caught.value.line == 2
    with pytest.raises(MalformedFile):
        json_edit.append('{"hooks": {"Stop": {}}}', ("hooks", "Stop"), 1, "f")
    with pytest.raises(MalformedFile):
        claude().put('{"hooks": []}', "f")


@pytest.mark.parametrize(
    ("text", "path", "there"),
    [
        ("", ("a", "b"), '{\n  "a": {\n    "b": 1\n  }\n}\n'),
        ('{\n  "a": 1 // one\n}\n', ("b",), '{\n  "a": 1, // one\n  "b": 1\n}\n'),
        (
            '{\n  "hooks": {\n    // none yet\n  }\n}\n',
            ("hooks", "Stop"),
            '{\n  "hooks": {\n    // none yet\n    "Stop": 1\n  }\n}\n',
        ),
    ],
    ids=["an empty file", "behind a comment", "in an object with a comment"],
)
def test_a_member_is_put_where_it_disturbs_nothing(text: str, path: tuple[str, ...], there: str) -> None:
    edited = json_edit.put(text, path, 1, "f")
    assert edited == there
    if text:
        assert json_edit.load(json_edit.drop(edited, path, "f"), "f") == json_edit.load(text, "f")
    for empty in ("\n", "// only a comment\n"):
        assert json_edit.load(json_edit.put(empty, path, 1, "f"), "f")


def test_what_is_added_to_a_container_within_a_line_gets_a_line_of_its_own() -> None:
    text = '{\n  "hooks": {"Stop": [{"command": "x"}]},\n  "z": 1\n}\n'
    added = json_edit.append(text, ("hooks", "Stop"), {"command": "ours"}, "f")
    added = json_edit.append(added, ("hooks", "Start"), {"command": "ours"}, "f")
    stop = '{"Stop": [{"command": "x"},\n    {"command": "ours"}]'
    assert added == f'{{\n  "hooks": {stop},\n    "Start": [{{"command": "ours"}}]}},\n  "z": 1\n}}\n'
    assert json_edit.drop(json_edit.drop(added, ("hooks", "Start"), "f"), ("hooks", "Stop", 1), "f") == text


# --- hooks --------------------------------------------------------------------------------------------------------------


def claude() -> Hooks:
    return next(part for agent, part in PARTS if agent == "claude-code" and isinstance(part, Hooks))


OLD = [
    {"type": "command", "command": "curator hook claude Stop"},
    {"type": "command", "command": "'/old place/curator' hook claude-code Stop || true"},
    {"type": "command", "command": "curator", "args": ["hook", "claude-code", "Stop"]},
    {"type": "command", "command": "sh -c 'command -v curator >/dev/null && curator hook claude-code Stop'"},
]


def test_older_entries_of_ours_collapse_into_one_and_others_stay() -> None:
    other = {"type": "command", "command": "notify-me"}
    text = json.dumps(
        {"hooks": {"Stop": [{"hooks": [other, *OLD[:2]]}, {"hooks": OLD[2:]}], "Notification": [{"hooks": OLD[:1]}]}}, indent=2
    )
    there = claude().put(text, "f")
    lists = json.loads(there)["hooks"]
    assert lists["Stop"] == [{"hooks": [other]}, dict(claude().entries["Stop"])]
    assert "Notification" not in lists
    assert len(own_hooks(there, "f")) == len(claude().entries)
    assert json.loads(claude().take(there, "f", None)) == {"hooks": {"Stop": [{"hooks": [other]}]}}


def test_a_changed_entry_of_ours_is_put_right_and_empty_containers_from_before_stay() -> None:
    there = claude().put("{}", "f")
    changed = there.replace("startup|resume|clear|compact|fork", "startup")
    assert json.loads(claude().put(changed, "f")) == json.loads(there)
    text = '{"hooks": {"Stop": []}, "mcpServers": {}}'
    server = Member(("mcpServers", "curator"), {"command": "x"})
    assert server.take(server.put(text, "f"), "f", text) == text
    there = claude().put(text, "f")
    assert json.loads(claude().take(there, "f", text)) == json.loads(text)
    assert json.loads(claude().take(there, "f", None)) == {"mcpServers": {}}


def test_what_a_person_adds_to_our_server_stays_while_it_is_there() -> None:
    server = Member(("mcpServers", "curator"), {"command": "new", "args": ["mcp"]})
    text = '{"mcpServers": {"curator": {"command": "old", "autoApprove": ["search_lessons"]}}}'
    assert json.loads(server.put(text, "f"))["mcpServers"]["curator"] == {
        "command": "new",
        "autoApprove": ["search_lessons"],
        "args": ["mcp"],
    }
