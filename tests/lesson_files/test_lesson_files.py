from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, TypeVar

import pytest
import yaml
from hypothesis import example, given
from hypothesis import strategies as st

from curator.errors import MalformedFile
from curator.lesson_files import FIELDS, checked, file_name, normal, parse, reconcile, render, slug, with_unknown_parts
from curator.lesson_files.lesson import KEYS, STATES
from curator.model import Anchor, Category, Drift, Durability, Entry, Evidence, Finding, Line, Role, Snippet, State
from tests.lesson_files.lessons import lesson

BASE = lesson(
    headline="Never call reset in a handler",
    insight="It drops the pool. Use `drain` instead.",
    category=Category.CONSTRAINT,
    created=1_790_000_000.0,
    updated=1_790_000_001.0,
)

PRIVATE = "one line " * 3  # too odd to come up by chance: examples take short strings of the source too

HOSTILE = st.sampled_from(
    ["# a", "## Context", "## Evidence", "#", "\\# a", "```", "````py", "~~~", "\\```", "---", "...", "> q", ">>>>>>> x",
     "<<<<<<<", "=======", "- item. Next", "End. Start", "End.", "End.\\", "End.\\\\", "Start", "`x` is", '"Q', "  indented",
     "\ttab", "a  ", "\\", "", "— human, :3", "x" * 300, "ünïcode 日本 🎉", "a\u2028b", "\x1b[31m", "\x85", "\ud800",
     "key: value", "| a. B |", "&a *a !t"],
)  # fmt: skip
WORD = st.one_of(
    HOSTILE,
    st.text(max_size=12),
    st.sampled_from(["yes", "0x1f", "1e3", "12:30:45", "2026-01-02", "~", "null", "-", "@a", "100%", "a, b", " "]),
)
TEXT = st.builds(
    lambda parts, glue: glue.join(parts),
    st.lists(st.one_of(HOSTILE, st.text(max_size=8)), max_size=5),
    st.sampled_from(["\n", "\r\n", " ", "\n\n"]),
)
TIME = st.one_of(st.just(0.0), st.floats(1.0, 4e9))
WORDS = st.lists(WORD, max_size=3).map(tuple)
ID = st.from_regex(r"[0-9A-Za-z][0-9A-Za-z-]{0,39}", fullmatch=True)
IDS = st.lists(ID, max_size=2).map(tuple)

T = TypeVar("T")


def with_defaults(kind: Callable[..., T], **fields: st.SearchStrategy[Any]) -> st.SearchStrategy[T]:
    """Such a thing with these fields, the others at their defaults; ``builds`` fills every field of a named tuple."""
    return st.fixed_dictionaries(fields).map(lambda values: kind(**values))


EVIDENCE = with_defaults(
    Evidence, quote=TEXT, role=st.sampled_from(Role), file=WORD, line=st.integers(0, 10**6), line_end=st.integers(0, 10**6),
    agent=WORD, session=WORD, at=st.one_of(st.none(), TIME), excerpt=st.just((Line(Role.HUMAN, PRIVATE),)),
)  # fmt: skip
ENTRY = with_defaults(
    Entry, id=st.just("7k3f-Q2MD"), project=st.just("p"), state=st.sampled_from(STATES), category=st.sampled_from(Category),
    headline=TEXT, insight=TEXT, context=TEXT, created=TIME, updated=TIME,
    snippets=st.lists(st.builds(Snippet, TEXT, WORD, WORD), max_size=2).map(tuple),
    scope=st.sampled_from(["project", "paths", "global"]), paths=WORDS, durability=st.sampled_from(Durability), files=WORDS,
    agent=WORD, session=WORD, score=st.floats(0, 1), evidence=st.lists(EVIDENCE, max_size=2).map(tuple),
    anchors=st.lists(with_defaults(Anchor, path=WORD, blob=WORD, commit=WORD), max_size=2).map(tuple),
    supersedes=IDS, superseded_by=st.just("") | ID, refines=IDS, contradicts=IDS,
    coexists=st.lists(st.tuples(ID, WORD), max_size=2).map(tuple), slug=st.sampled_from(["", "a-slug", "../x"]),
)  # fmt: skip


@given(ENTRY)
@example(BASE._replace(insight="```. A"))
@example(BASE._replace(insight="First.\nSecond. Third.\n- a. B\n- c."))
@example(BASE._replace(context="```\nA. B\n# c\n```\nAfter. It"))
@example(BASE._replace(context="```\n<<<<<<< a\n```\n```\nA. B"))
@example(BASE._replace(snippets=(Snippet("<<<<<<< a\n\n  x\n>>>>>>> b", "diff"), Snippet("```\n# x\n", "md", "## Code"))))
def test_a_file_holds_the_normal_form_of_an_entry(entry: Entry) -> None:
    text = render(entry)
    read = parse(text, file_name(entry))
    assert read == normal(entry)
    assert render(read) == text
    assert normal(read) == read
    assert text.rstrip("\n") + "\n" == text
    assert "\r" not in text
    assert PRIVATE not in text
    assert_other_readers_of_yaml_see_the_same_strings(text, read)


def assert_other_readers_of_yaml_see_the_same_strings(text: str, entry: Entry) -> None:
    seen: dict[str, Any] = yaml.safe_load(text.split("\n---\n")[0])
    assert list(seen) == [key for key in KEYS if key in seen]
    assert seen.get("agent", "") == entry.agent
    assert tuple(seen.get("files", ())) == entry.files
    assert tuple(pair["id"] for pair in seen.get("coexists", ())) == tuple(id for id, _ in entry.coexists)


@given(
    ENTRY,
    st.fixed_dictionaries(
        {},
        optional={
            "id": st.sampled_from(["7K3F-Q2MD", "../x", ""]),
            "state": st.sampled_from(State),
            "scope": st.sampled_from(["project", "team"]),
            "refines": st.lists(ID | TEXT, max_size=2).map(tuple),
            "superseded_by": st.just("7k3f-q2md") | TEXT,
            "coexists": st.lists(st.tuples(ID | TEXT, WORD), max_size=2).map(tuple),
        },
    ),
)
def test_a_lesson_of_somebody_else_passes_if_a_file_could_hold_it(entry: Entry, values: dict[str, Any]) -> None:
    entry = entry._replace(**values)
    try:
        through_a_file = parse(render(entry), "f.md")
    except MalformedFile:
        with pytest.raises(MalformedFile):
            checked(entry)
    else:
        assert checked(entry)._replace(slug="") == through_a_file


@given(st.one_of(st.text(), TEXT.map(lambda text: f"---\nid: A\ncategory: tooling\n---\n# h\n\n{text}\n")))
def test_whatever_stands_in_a_file_is_read_or_refused_by_line(text: str) -> None:
    try:
        first = parse(text, "f.md")
    except MalformedFile as error:
        where = error.line
    else:
        where = 1
        assert parse(render(first), "f.md") == first
    assert 1 <= where <= text.count("\n") + text.count("\r") + 1


@given(ENTRY, ENTRY)
def test_what_one_side_alone_changed_is_taken_whole(base: Entry, changed: Entry) -> None:
    for ours, theirs in ((base, changed), (changed, base), (changed, changed)):
        merged = reconcile(base, ours, theirs)
        assert merged.clashes == ()
        for name in set(FIELDS) - {"id", "slug"}:
            assert getattr(normal(merged.entry), name) == getattr(normal(changed), name)


@given(ENTRY, ENTRY)
def test_a_file_brought_in_makes_the_stored_lesson_render_as_the_file(stored: Entry, edited: Entry) -> None:
    read = parse(render(edited), file_name(edited))
    assert render(with_unknown_parts(stored, read)) == render(edited)


def test_lists_and_tables_keep_their_lines() -> None:
    context = "1. First. Then\n2. Second. Then\n* Star. Then\n- Dash. Then\n| a. B | c |\n**Bold.** Then"
    assert f"\n{context}\n" in render(BASE._replace(context=context))


def test_a_changed_word_is_a_changed_line() -> None:
    context = "One sentence stands here. Another one follows it. And a third."
    before = render(BASE._replace(context=context)).split("\n")
    after = render(BASE._replace(context=context.replace("Another", "Some other"))).split("\n")
    assert len(before) == len(after)
    assert sum(a != b for a, b in zip(before, after, strict=True)) == 1


def test_volatile_numbers_change_no_byte() -> None:
    noisy = BASE._replace(times_stated=9, place=3, score_parts={"a": 1.0}, snoozed_until=5.0)
    noisy = noisy._replace(findings=(Finding(path="a", drift=Drift.DELETED),))
    assert render(noisy) == render(BASE)


FILE = """---
# a comment
id: 7k3f-q2md
owner: &who the team
category: constraint
reviewers:
  - ann   # keeps blanks

anchors:
  - {path: a.py, symbol: A.b, column: "1234", body: cafe}
  - {path: c.py, symbol: A.b, body: cafe}
  - path: b.py
    body: beefbeefbeefbeefbeefbeefbeefbeefbeefbeef
files: [x.py, "y z.py"]
---

# Headline by hand

Wrapped by a
person. It stays.

## Notes

Free   text
```sh
## Evidence
```

## Context

Why.

## See also
- this
"""


def test_unknown_keys_and_sections_are_kept() -> None:
    entry = parse(FILE, "by-hand-7k3f-q2md.md")
    assert (entry.id, entry.slug, entry.state, entry.scope) == ("7K3F-Q2MD", "by-hand", State.ACTIVE, "project")
    assert entry.insight == "Wrapped by a\nperson. It stays."
    assert entry.context == "Why."
    assert entry.files == ("x.py", "y z.py")
    assert entry.anchors == (Anchor(path="c.py", symbol="A.b", body="cafe"), Anchor(path="b.py", blob="beef" * 10))
    assert not entry.evidence
    text = render(entry)
    assert "owner: &who the team\nreviewers:\n  - ann   # keeps blanks\n" in text
    assert "# a comment\n" in text
    assert '  - path: a.py\n    symbol: A.b\n    column: "1234"\n    body: cafe\n' in text
    assert "## Notes\n\nFree   text\n```sh\n## Evidence\n```\n\n## See also\n- this\n" in text
    again = parse(text, "by-hand-7k3f-q2md.md")
    assert again == entry
    assert render(again) == text
    assert set(json.loads(entry.extra)) == {"front", "anchors", "sections"}


@pytest.mark.parametrize("state", sorted(set(State) - set(STATES)))
def test_only_lessons_have_files(state: State) -> None:
    text = render(BASE).replace("state: active", f"state: {state}")
    with pytest.raises(MalformedFile, match="not one of active, retired") as refused:
        parse(text, "x.md")
    assert text.split("\n")[refused.value.line - 1] == f"state: {state}"


@pytest.mark.parametrize("folder", ["~/.claude/projects/-home-ann-app/", "~/.codex/sessions/2026/11/", "C:\\Users\\ann\\"])
def test_a_file_says_nothing_of_the_folders_of_transcripts(folder: str) -> None:
    quote = Evidence(quote="Never", role=Role.HUMAN, file=f"{folder}5e55.jsonl", line=3, line_end=3)
    entry = BASE._replace(evidence=(quote,))
    text = render(entry)
    assert "— human, 5e55.jsonl:3\n" in text
    assert parse(text.replace("5e55", f"{folder}5e55"), "x.md").evidence == normal(entry).evidence, "also not of older files"
    assert with_unknown_parts(entry, parse(text, "x.md")).evidence == (quote,), "the stored path stays"


def test_windows_line_ends_and_a_byte_order_mark_are_read() -> None:
    assert parse("\ufeff" + FILE.replace("\n", "\r\n"), "x.md") == parse(FILE, "x.md")


GOOD = render(BASE)


@pytest.mark.parametrize(
    ("text", "line", "reason"),
    [
        ("", 1, "no front matter"),
        ("# only text\n", 1, "no front matter"),
        ("---\nid: A\n", 1, "no front matter"),
        (GOOD.replace("It drops", "<<<<<<< HEAD\nIt drops"), 12, "conflict"),
        (GOOD.replace("category:", "<<<<<<< HEAD\ncategory:"), 3, "conflict"),
        (GOOD + ">>>>>>> theirs\n", 14, "conflict"),
        (GOOD.replace("category: constraint", "category: rule"), 3, "not one of constraint, decision"),
        (GOOD.replace("category: constraint\n", ""), 1, "category: is missing"),
        (GOOD.replace("id: 7K3F-Q2MD", "id: ../../x"), 2, "is not an id"),
        (GOOD.replace("durability: durable", "durability: durable\ndurability: durable"), 6, "twice"),
        (GOOD.replace("durability: durable", "confidence: 7"), 5, "from 0 to 1"),
        (GOOD.replace("durability: durable", "confidence: nan"), 5, "from 0 to 1"),
        (GOOD.replace("scope: project", "scope: world"), 4, "not one of project"),
        (GOOD.replace("created: 2026", "created: today 2026"), 6, "is not a time"),
        (GOOD.replace("state: active", "state: [a"), 8, "not YAML"),
        (GOOD.replace("state: active", "files: {a: b}"), 8, "must be a list"),
        (GOOD.replace("state: active", "files: [[a]]"), 8, "must be a text"),
        (GOOD.replace("state: active", "agent: [a]"), 8, "one value"),
        (GOOD.replace("state: active", "x: &a b\ny: *a"), 8, "aliases"),
        (GOOD.replace("state: active", "anchors:\n  - commit: a"), 9, "needs a path"),
        (GOOD.replace("state: active", "anchors:\n  - a"), 9, "must be an object"),
        (GOOD.replace("state: active", "coexists:\n  - because: a"), 9, "id of the other"),
        (GOOD.replace("state: active", "agent: a\u2028b"), 8, "line break"),
        (GOOD.replace("state: active", "deep: " + "[" * 3000), 2, "nests deeper"),
        (GOOD.replace("state: active", 'x: "\\UFFFFFFFF"\ny: [' + "[], " * 50 + "1]"), 8, "not YAML"),
        (GOOD.replace("# Never", "## Never"), 10, "no headline"),
        (GOOD.replace("# Never", "Never"), 10, "no headline"),
        (GOOD.replace("# Never", "Hm.\n\n# Never"), 10, "before the headline"),
        (GOOD + "\n## Context\n\na\n\n## context\n", 19, "second section"),
        (GOOD + "\n## Evidence\n\n> a\n\n— robot\n", 19, "not one of human"),
        (GOOD + "\n## Evidence\n\n> a\n\n— human, at noon\n", 19, "not part of a caption"),
        (GOOD + "\n## Evidence\n\nHe said so.\n", 17, "Evidence may hold only quotes"),
        (GOOD + "\n## Code\n\n```\nopen\n", 17, "Code may hold only fenced blocks"),
    ],
    ids=lambda value: value if isinstance(value, str) and len(value) < 40 else "",
)  # fmt: skip
def test_what_cannot_be_understood_is_refused_with_its_line(text: str, line: int, reason: str) -> None:
    with pytest.raises(MalformedFile) as caught:
        parse(text, "x.md")
    assert reason in caught.value.reason
    assert (caught.value.file, caught.value.line) == ("x.md", line)


def test_a_hostile_pile_of_fences_is_read_in_linear_time() -> None:
    parse(GOOD + "```x\n" * 60_000, "x.md")


def test_evidence_by_hand_needs_no_caption() -> None:
    entry = parse(GOOD + "\n## Evidence\n\n> one\n\n> two\nthree\n".replace("three\n", "> three\n"), "x.md")
    assert [quote.quote for quote in entry.evidence] == ["one", "two\nthree"]
    assert entry.evidence[0].role is Role.HUMAN


def test_slugs_are_short_ascii_and_never_empty() -> None:
    assert slug("") == slug("!!") == "lesson"
    assert slug("a" * 100) == "a" * 48
    long = slug("use the connection pool of the main application and nothing else")
    assert long == "use-the-connection-pool-of-the-main-application"
    assert file_name(BASE._replace(slug="kept")) == "kept-7k3f-q2md.md"
    assert file_name(BASE) == "never-call-reset-in-a-handler-7k3f-q2md.md"
    with pytest.raises(ValueError, match="file name"):
        file_name(BASE._replace(id="../x"))


def test_a_read_file_changes_only_what_files_carry() -> None:
    excerpt = (Line(Role.HUMAN, "x"),)
    quote = Evidence(quote="never do it ", role=Role.HUMAN, file="s.jsonl", line=3, line_end=3, excerpt=excerpt)
    stored = BASE._replace(times_stated=4, place=2, evidence=(quote,), created=BASE.created + 0.25, symbols=("a",), slug="old")
    read = parse(render(stored).replace("It drops the pool.", "It leaks."), "new-name-7k3f-q2md.md")
    assert with_unknown_parts(stored, read) == stored._replace(insight="It leaks. Use `drain` instead.")
    more = read._replace(evidence=(quote._replace(quote="more", excerpt=()), *read.evidence))
    assert with_unknown_parts(stored, more).evidence[1] == quote
