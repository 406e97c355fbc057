"""What a file defines, in every language of the table, and what its fingerprints ignore."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from curator.code import LANGUAGES, Language, Symbol, Unreadable, language_of, outline, symbols, whole

SAMPLES: dict[str, tuple[str, list[str]]] = {
    "a.py": (
        "LIMIT = 3\n@cache\nasync def load(key: str) -> int:\n    def inner(): ...\n    return 1\n"
        "class Pool(Base):\n    size: int = 2\n    @property\n    def free(self): return self.size\n"
        "if LIMIT:\n    def late(): pass\ntype Pair = tuple[int, int]\n",
        ["LIMIT", "load", "load.inner", "Pool", "Pool.size", "Pool.free", "late", "Pair"],
    ),
    "a.js": (
        "const limit = 3\nexport const load = async key => key\nfunction* walk() {}\n"
        "class Pool extends Base { size = 2; get free() { return 1 }; #drain = () => 1 }\nexports.close = function () {}\n"
        "const tools = { open: a => a, deep: { dive: function () {}, depth: 3 } }\n",
        "limit load walk Pool Pool.size Pool.free Pool.#drain close tools tools.open tools.deep.dive".split(),
    ),
    "a.ts": (
        "export interface Shape { area(): number }\nexport type Id = string\nenum Color { Red }\n"
        "export abstract class Pool<T> { private size = 2; abstract free(): T; constructor() {} }\n"
        "declare function load(a: string): void\nnamespace deep { export function dive() {} }\n"
        "export default class extends Pool {}\nexport default function main() {}\n",
        "Shape Shape.area Id Color Pool Pool.size Pool.free Pool.constructor load deep.dive main".split(),
    ),
    "a.tsx": ("export const View = ({ a }: P) => (\n  <b>{a}</b>\n)\n", ["View"]),
    "a.go": (
        "package p\nconst limit = 3\nvar (\n\ta = 1\n\tb = 2\n)\ntype Pool[T any] struct{ n int }\n"
        "func (p *Pool[T]) Free() int { return p.n }\nfunc Load(k string) {}\ntype Id = string\n"
        "type Reader interface { io.Closer; Read(p []byte) error }\n",
        ["limit", "a", "b", "Pool", "Pool.Free", "Load", "Id", "Reader", "Reader.Read"],
    ),
    "a.rs": (
        "const LIMIT: u8 = 3;\n#[derive(Debug)]\npub struct Pool<'a> { n: &'a u8 }\nimpl<'a> fmt::Display for Pool<'a> {\n"
        "    fn fmt(&self) -> u8 { 1 }\n}\ntrait Free { type Item; fn free(&self); }\n"
        "mod t { fn load() {} }\nmacro_rules! m { () => {} }\n",
        ["LIMIT", "Pool", "Pool.fmt", "Free", "Free.Item", "Free.free", "load", "m"],
    ),
    "A.java": (
        "class Pool<T> {\n  static final int LIMIT = 3;\n  Pool() {}\n  @Override\n  public int free(int a) { return a; }\n"
        "  record Pair(int a) { Pair { check(a); } }\n  enum Color { RED, GREEN(2) }\n"
        "  Runnable late = new Runnable() { public void run() {} };\n}\n"
        "interface Free<T> { int MAX = 3; void free(); default int half() { return 1; } }\n"
        "@interface Mark { int depth() default 3; }\n",
        "Pool Pool.LIMIT Pool.Pool Pool.free Pool.Pair Pool.Pair.Pair Pool.Color Pool.Color.RED Pool.Color.GREEN".split()
        + "Pool.late Pool.late.run Free Free.MAX Free.free Free.half Mark Mark.depth".split(),
    ),
    "a.c": ("struct pool { int n; };\n#define LIMIT 3\nstatic int *load(char *k) { return 0; }\n", ["pool", "LIMIT", "load"]),
    "a.cpp": ("namespace deep { class Pool { int free() { return 1; } }; }\n", ["deep.Pool", "deep.Pool.free"]),
    "a.cs": ("class Pool { int Free() { return 1; } public int Size { get; set; } }\n", ["Pool", "Pool.Free", "Pool.Size"]),
    "a.rb": (
        "class Pool\n  LIMIT = 3\n  def free; 1; end\n  def self.make; end\nend\n",
        ["Pool", "Pool.LIMIT", "Pool.free", "Pool.make"],
    ),
    "a.php": ("<?php\nclass Pool { function free() { return 1; } }\nfunction load() {}\n", ["Pool", "Pool.free", "load"]),
    "a.sh": ("load() {\n  echo hi\n}\n", ["load"]),
}


def language(path: str = "a.py") -> Language:
    found = language_of(path)
    assert found
    return found


def of(source: str, path: str = "a.py") -> dict[str, Symbol]:
    return {symbol.name: symbol for symbol in symbols(source.encode(), language(path))}


@pytest.mark.parametrize("path", SAMPLES)
def test_every_language_names_what_it_defines(path: str) -> None:
    source, names = SAMPLES[path]
    found = of(source, path)
    assert [*found] == names
    assert all(symbol.text.strip() and symbol.first <= symbol.last for symbol in found.values())


@pytest.mark.parametrize("path", SAMPLES)
def test_an_outline_and_a_single_symbol_are_those_of_the_whole(path: str) -> None:
    source = SAMPLES[path][0].encode()
    every = symbols(source, language(path))
    assert [*outline(source, language(path))] == [(found.name, found.kind, found.first, found.last) for found in every]
    for name in {found.name for found in every}:
        assert symbols(source, language(path), name) == tuple(found for found in every if found.name == name)


def test_the_table_of_samples_is_complete() -> None:
    assert {language_of(path) for path in SAMPLES} == set(LANGUAGES)


SAME = [
    (
        "a.py",
        "def f(a, b):\n    return a + b",
        'def f(\n    a,\n    b,\n):\n    """Adds."""\n    # sum\n    return (\n        a + b\n    )',
    ),
    ("a.py", "def f():\n    x = 'a'", 'def f():\n    x = "a"  # type: ignore'),
    ("a.js", "function f(a) { return g(a, 'b'); }", 'function f(a) {\n  // why\n  return (\n    g(a, "b",)\n  )\n}'),
    ("a.ts", "type A = { a: string; b: number };", "/** doc */\ntype A = {\n  a: string\n  b: number\n}"),
    ("a.go", "func f(a int) int { return a }", "// f does\nfunc f(\n\ta int,\n) int {\n\treturn a // done\n}"),
    ("a.rs", "fn f(a: u8) -> u8 { a }", "/// doc\nfn f(\n    a: u8,\n) -> u8 {\n    // a\n    a\n}"),
    ("A.java", "record f(int a) {}", "/** doc */\nrecord f(\n  int a // one\n) {}"),
    (
        "a.py",
        "def f(a, b):\n    x = g(k=a or b)\n    raise x",
        "def f(a, b):\n    x = g(k=(\n        a or \\\n        b\n    ))\n    raise (x)",
    ),
    ("a.tsx", "const f = a => a && <b />", "const f = (a) =>\n  a && (\n    <b />\n  )"),
    ("a.js", "const f = a => a", "const f = (a) => a"),
    ("a.ts", "type f = 'a' | 'b'", "type f =\n  | 'a'\n  | 'b'"),
    ("a.rs", "fn f<T>(a: T) where T: X { a }", "fn f<T>(a: T)\nwhere\n    T: X,\n{\n    a\n}"),
]
CHANGED = [
    ("a.py", "def f(a): return a", "def f(a, b): return a", "signature"),
    ("a.py", "def f(a): return a", "def f(a) -> int: return a", "signature"),
    ("a.py", "def f(a): return a", "@cache\ndef f(a): return a", "signature"),
    ("a.py", "def f(a):\n    if a:\n        g()\n        h()", "def f(a):\n    if a:\n        g()\n    h()", "body"),
    ("a.py", "def f(): return 'a b'", "def f(): return 'a  b c'", "body"),
    ("a.go", "func f(a int) int { return a }", "func f(a int) int { return -a }", "body"),
    ("a.rs", "fn f(a: u8) {}", "#[inline]\nfn f(a: u8) {}", "signature"),
    ("a.ts", "const f = (a: string) => a", "const f = (a: number) => a", "signature"),
    ("A.java", "class C { void f() {} }", "class C { @Override void f() {} }", "signature"),
    ("A.java", "interface C { int f(); }", "interface C { long f(); }", "signature"),
    ("A.java", "interface C { int f(); }", "interface C { int f() throws E; }", "signature"),
    ("A.java", "class C { int f = 1; }", "class C { int f = 2; }", "body"),
    ("A.java", "class C { int f = 1; }", "class C { long f = 1; }", "signature"),
    ("A.java", "enum C { f(1) }", "enum C { f(2) }", "body"),
    ("a.go", "type C interface { f(a int) }", "type C interface { f(a string) }", "signature"),
    ("a.rs", "trait C { const f: u8; }", "trait C { const f: u16; }", "signature"),
    ("a.rs", "macro_rules! f { (a) => {1}; }", "macro_rules! f { (a) => {2}; }", "body"),
    ("a.ts", "class C { f: string }", "class C { f: number }", "signature"),
    ("a.ts", "const C = { f: (a: A) => a }", "const C = { f: (a: B) => a }", "signature"),
    ("a.ts", "const f = (a) => a", "const f = (a?) => a", "signature"),
    ("a.py", "class C:\n    f: int", "class C:\n    f: str", "signature"),
    ("a.py", "def f(a, b): return (a or b) and a", "def f(a, b): return a or b and a", "body"),
    ("a.cs", "class C { int f { get; set; } }", "class C { long f { get; set; } }", "signature"),
]


@pytest.mark.parametrize(("path", "before", "after"), SAME)
def test_layout_comments_and_docstrings_leave_no_trace(path: str, before: str, after: str) -> None:
    (old,), (new,) = of(before, path).values(), of(after, path).values()
    assert (old.signature, old.body) == (new.signature, new.body)
    assert old.signature_hash == new.signature_hash


@pytest.mark.parametrize(("path", "before", "after", "where"), CHANGED)
def test_what_means_something_leaves_one(path: str, before: str, after: str, where: str) -> None:
    old, new = (next(s for s in of(text, path).values() if s.simple == "f") for text in (before, after))
    assert (old.signature_hash != new.signature_hash, old.body_hash != new.body_hash) == (where == "signature", where == "body")


def test_a_renamed_symbol_keeps_its_fingerprints() -> None:
    old, new = of("def f(n):\n    return f(n - 1)")["f"], of("def g(n):\n    return g(n - 1)")["g"]
    assert (old.signature, old.body) == (new.signature, new.body)


def test_symbols_of_one_name_are_all_there() -> None:
    found = symbols(b"try:\n    def f(): return 1\nexcept E:\n    def f(): return 2\n", language())
    assert [symbol.name for symbol in found] == ["f", "f"]
    assert len({symbol.body for symbol in found}) == 2


def test_what_does_not_parse_costs_only_itself() -> None:
    found = of("def f(:\n    ???\n\n\ndef whole():\n    return 1\n")
    assert found["whole"].body


@pytest.mark.parametrize(
    ("source", "why"), [(b"a\0b", "binary"), (b"x=1;" * 2_000, "minified"), (b"a = 1\n" * 200_000, "larger")]
)
def test_files_that_no_one_wrote_are_said(source: bytes, why: str) -> None:
    with pytest.raises(Unreadable, match=why):
        symbols(source, language("a.js"))


def test_a_whole_file_is_its_tokens() -> None:
    assert whole(b"a = 1  # one\n", language()).body == whole(b"a = 1\n", language()).body
    assert whole(b"a: 1  # one\n").body != whole(b"a: 1\n").body
    assert whole(b"a:   1\n").body == whole(b"a: 1\r\n").body
    assert whole(b"a\0b", language()).body_hash


@given(st.sampled_from(sorted(SAMPLES)), st.binary(max_size=60), st.integers(0, 300))
def test_no_bytes_make_it_fail(path: str, noise: bytes, at: int) -> None:
    source = SAMPLES[path][0].encode()
    try:
        found = symbols(source[:at] + noise + source[at:], language(path))
    except Unreadable:
        return
    assert all(symbol.name for symbol in found)
