"""Where code went between two states of a code base, and what is not taken for it."""

from __future__ import annotations

from collections.abc import Mapping
from textwrap import dedent

import pytest

from curator.code import CodeChange, Trace, Version, trace
from curator.model import Drift

FETCH = """
    def {name}(self, url, retries):
        request = self.build(url, headers=self.headers)
        for attempt in range(retries):
            answer = self.transport.send(request, timeout=self.timeout * attempt)
            if answer.complete:
                return answer
        raise Exhausted(url)
"""


def shift(before: Mapping[str, str], after: Mapping[str, str], renamed: Mapping[str, str] | None = None) -> CodeChange:
    old, new = ({path: text.encode() for path, text in files.items()} for files in (before, after))
    came = [path for path in new if old.get(path) != new[path]]
    return CodeChange(Version(old.get), Version(new.get), came, renamed or {})


def traced(symbol: str, before: str, after: str, path: str = "a.py") -> Trace:
    return trace(symbol, path, shift({path: before}, {path: after}))


def place(found: Trace) -> tuple[str, str]:
    return found.path, found.new.name if found.new else ""


def test_methods_go_along_with_their_class_however_brief() -> None:
    before = "class Pool:\n    limit = 3\n    def drain(self): pass\n    def fill(self): pass\n" + FETCH.format(name="fetch")
    after = before.replace("class Pool", "class Reservoir").replace("limit = 3", "limit = 4")
    found = traced("Pool.fill", before, "import os\n\n" + after)
    assert (place(found), found.certain) == (("a.py", "Reservoir.fill"), True)
    assert place(traced("Pool.limit", before, after)) == ("a.py", "Reservoir.limit")
    assert traced("Pool", before, after).certain


def test_what_its_file_became_keeps_a_symbol_under_its_name_whatever_changed_in_it() -> None:
    after = "def fetch(url, retries, proxy):\n    return legacy.call(proxy).result\n"
    moved = shift({"old/a.py": FETCH.format(name="fetch")}, {"new/b.py": after}, {"old/a.py": "new/b.py"})
    found = trace("fetch", "old/a.py", moved)
    assert (place(found), found.certain, found.drift) == (("new/b.py", "fetch"), True, Drift.MOVED)


def test_of_two_that_vanished_each_gets_its_own() -> None:
    def both(name: str) -> str:
        plain = FETCH.format(name=name)
        waiting = plain.replace("def", "async def").replace("self.tr", "await self.tr")
        return f"class Client:{plain}\nclass AsyncClient:{waiting}"

    for kind in ("Client", "AsyncClient"):
        found = traced(f"{kind}.fetch_retrying", both("fetch_retrying"), both("_fetch_retrying"))
        assert place(found) == ("a.py", f"{kind}._fetch_retrying")


def test_what_is_likelier_another_s_is_not_taken() -> None:
    plain = dedent(FETCH).format(name="fetch").replace("self.timeout * attempt", "None")
    before = dedent(FETCH).format(name="fetch_all") + plain
    found = traced("fetch_all", before, plain.replace("def fetch", "def _fetch"))
    assert found.drift is Drift.DELETED


@pytest.mark.parametrize(
    ("symbol", "before", "after"),
    [
        (
            "test_retries.cli",
            "def test_retries():\n    @command\n    def cli(a): pass\n    assert run(cli, retries=3).attempts == 3\n",
            "def test_colours():\n    @command\n    def cli(a): pass\n    for shade in palette:\n        show(shade)\n",
        ),
        ("Reader.read_line", "class Reader:\n    def read_line(self): raise NotImplementedError()\n",
         "class Lock:\n    def release(self): raise NotImplementedError()\n"),
        ("IS_PLAIN", "IS_PLAIN = False\n", "HAS_COLOUR = False\n"),
    ],
    ids=["inside another test", "an empty method", "a value"],
)  # fmt: skip
def test_what_is_alike_by_chance_is_not_a_move(symbol: str, before: str, after: str) -> None:
    assert traced(symbol, before, after).drift is Drift.DELETED


def test_dunder_methods_do_not_make_two_classes_one() -> None:
    dunders = "    def __eq__(self, other): return self.key == other.key\n    def __repr__(self): return f'{self.key}'\n"
    before = f"class Origin:\n    def __init__(self, url): self.key = url.host\n{dunders}"
    after = f"class Limits:\n    def __init__(self, soft, hard): self.key = (soft, hard)\n{dunders}"
    assert not traced("Origin", before, after).certain


def test_a_name_that_only_became_private_or_of_another_case_is_likely() -> None:
    before, after = "def merge_url(a, b):\n    return a.join(b)\n", "def _mergeUrl(base):\n    return Link(base).full\n"
    found = traced("merge_url", before, after)
    assert (place(found), found.certain) == (("a.py", "_mergeUrl"), False)


def test_a_function_that_moved_out_of_another_is_followed() -> None:
    inner = "    def fetch(self, url):\n        answer = session.get(url)\n        return answer.decoded(errors)\n"
    outer = "def fetch(self, url):\n    answer = session.get(url)\n    return answer.decoded(errors)\n"
    found = traced("make.fetch", f"def make():\n{inner}    return fetch\n", outer)
    assert place(found) == ("a.py", "fetch")


CODECS = """
def encode_label(text, lower, codec=None):
    if isinstance(text, bytes):
        raw = text
    else:
        raw = text.encode(codec or "ascii")
    return raw.lower() if lower else raw


def encode_content(text, codec=None):
    if isinstance(text, bytes):
        return text
    return text.encode(codec or "ascii")
"""
ANEW = """
def _encode_label(text, codec=None):
    return text if isinstance(text, bytes) else text.encode(codec or "ascii")


def _encode_content(text, codec=None):
    if isinstance(text, bytes):
        return text
    if not isinstance(text, str):
        raise TypeError(f"{type(text)} is neither text nor bytes but something else")
    return text.encode(codec or "ascii")
"""


@pytest.mark.parametrize("name", ["encode_label", "encode_content"])
def test_of_several_that_went_elsewhere_and_became_private_each_keeps_its_name(name: str) -> None:
    moved = shift({"a.py": CODECS, "b.py": "HEAD = 1\n"}, {"a.py": "", "b.py": f"HEAD = 1\n{ANEW}"})
    found = trace(name, "a.py", moved)
    assert (place(found), found.certain) == (("b.py", f"_{name}"), False)


def test_what_was_written_anew_under_its_name_in_other_spelling_is_a_guess_unless_another_had_just_that_name() -> None:
    anew = "class Sink:\n    pass\n\ndef _loadConfig(): return parse(Path.home() / 'settings' / 'all').merged(defaults, env)\n"
    after = {"a.py": "", "b.py": anew}
    alone = trace("load_config", "a.py", shift({"a.py": "def load_config(): return 1\n"}, after))
    assert place(alone) == ("b.py", "_loadConfig")
    both = "def load_config(): return 1\n\ndef _loadConfig(): return 2\n"
    assert trace("load_config", "a.py", shift({"a.py": both}, after)).drift is Drift.DELETED
    assert place(trace("_loadConfig", "a.py", shift({"a.py": both}, after))) == ("b.py", "_loadConfig")


OVERLOADS = "class C {\n  int f(int a) { return a + 1; }\n  int f(String a) { return a.length(); }\n}\n"


@pytest.mark.parametrize(
    ("change", "drift"),
    [
        (("a.length()", "a.size()"), Drift.BODY),
        (("int f(String a)", "int f(String a, int b)"), Drift.SIGNATURE),
        (("  int f(int a) { return a + 1; }\n", ""), Drift.DELETED),
        (("  int f(int", "  long f() { return 1; }\n  int f(int"), Drift.UNCHANGED),
        (("return a + 1;", "return a + 1; /* next */"), Drift.LAYOUT),
    ],
)
def test_symbols_of_one_name_are_told_apart(change: tuple[str, str], drift: Drift) -> None:
    assert traced("C.f", OVERLOADS, OVERLOADS.replace(*change), "C.java").drift is drift


def test_of_several_implementations_the_changed_one_is_compared_with_itself() -> None:
    before = 'impl Display for P { fn fmt(&self) { one("a") } }\nimpl Debug for P { fn fmt(&self) { two("b", 3) } }\n'
    found = traced("P.fmt", before, before.replace('one("a")', 'one("a", many, more, words)'), "p.rs")
    assert found.old
    assert found.new
    assert ("one" in found.old.body, "one" in found.new.body) == (True, True)


@pytest.mark.parametrize(("name", "drift"), [("fetch::run", Drift.BODY), ("mod.run", Drift.BODY), ("P::fmt", Drift.DELETED)])
def test_a_name_qualified_in_another_way_means_the_only_one_of_its_last_part(name: str, drift: Drift) -> None:
    before = "mod fetch { fn run() { one(1) } }\nimpl Q { fn fmt(&self) {} }\nimpl R { fn fmt(&self) {} }\n"
    assert traced(name, before, before.replace("one(1)", "one(2)"), "p.rs").drift is drift
