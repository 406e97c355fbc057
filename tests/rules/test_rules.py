"""Rules files: which files those are, and which of their lines state a rule."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from curator.model import Category
from curator.rules import find, read
from tests.files import write_file


def stated(text: str) -> list[str]:
    return [rule.statement for rule in read(text)]


def put(top: Path, name: str, text: str = "- Always be kind to the parser.\n") -> Path:
    return write_file(top / name, text)


# --- which files ------------------------------------------------------------------------------------------------------


def test_every_agents_files_are_found_and_hold_for_the_folder_in_which_they_lie(tmp_path: Path) -> None:
    expected = {
        "CLAUDE.md": ("claude-code", ""),
        "web/CLAUDE.md": ("claude-code", "web"),
        ".claude/CLAUDE.md": ("claude-code", ""),
        ".claude/rules/api.md": ("claude-code", ""),
        "AGENTS.md": ("codex", ""),
        "web/app/AGENTS.md": ("codex", "web/app"),
        "GEMINI.md": ("gemini", ""),
        ".cursorrules": ("cursor", ""),
        ".cursor/rules/deep/style.mdc": ("cursor", ""),
        "web/.cursor/rules/style.mdc": ("cursor", "web"),
        ".github/copilot-instructions.md": ("copilot-cli", ""),
        ".github/instructions/tests.instructions.md": ("copilot-cli", ""),
        ".windsurf/rules/a.md": ("windsurf", ""),
        ".continue/rules/a.md": ("continue", ""),
        "api/.clinerules": ("cline", "api"),
        "web/.clinerules/a.md": ("cline", "web"),
        "CONVENTIONS.md": ("aider", ""),
        "docs/style.md": ("aider", "docs"),
    }
    for name in expected:
        put(tmp_path, name)
    put(tmp_path, ".aider.conf.yml", "read: [docs/style.md, missing.md, ../outside.md]\nmodel: x\n")
    put(tmp_path.parent, "outside.md")
    others = "README.md node_modules/x/CLAUDE.md vendor/lib/AGENTS.md web/.clinerules/workflows/w.md .claude/commands/c.md"
    for other in others.split():
        put(tmp_path, other)
    (tmp_path / "vendor" / "lib" / ".git").mkdir()
    assert {file.name: (file.agent, file.folder) for file in find(tmp_path)} == expected
    assert [file.name for file in find(tmp_path / "web" / "app", tmp_path)] == ["web/app/AGENTS.md"]


def test_a_link_to_a_rules_file_is_that_file(tmp_path: Path) -> None:
    put(tmp_path, "AGENTS.md")
    (tmp_path / "CLAUDE.md").symlink_to("AGENTS.md")
    (tmp_path / "GEMINI.md").symlink_to("nowhere.md")
    assert [file.name for file in find(tmp_path)] == ["AGENTS.md"]


@pytest.mark.parametrize("conf", ["read: [", "read: 7", "[]", "read:\n  - {a: b}\n", "\x00"])
def test_settings_of_aider_that_mean_nothing_name_no_files(tmp_path: Path, conf: str) -> None:
    put(tmp_path, ".aider.conf.yml", conf)
    assert find(tmp_path) == []


# --- which lines ------------------------------------------------------------------------------------------------------


FILE = """# Project rules

This file tells agents how to work in this repository. It was written by the team.

## Contents

- [Testing](#testing)
- [Style](#style)

## Testing

- Always run `uv run pytest` before a commit, never bare pytest.
- `src/` holds the sources
- The suite takes about a minute.

The parser was written in 2019. Tests must never touch the network. It is fast.

```sh
# Never run this on a friday
make all
```

| command | rule |
|---|---|
| make | Always use it |

<!-- Always ignore what stands in comments -->

<!-- curator:begin -->
- Never propose again what curator wrote.
<!-- curator:end -->

## Style

1. Use four spaces,
   and no tabs.
2. **Names**: prefer whole words
> Never abbreviate names in the public API.
"""


def test_each_rule_is_read_once_and_nothing_else_is() -> None:
    assert [(rule.statement, rule.line, rule.line_end, rule.heading) for rule in read(FILE)] == [
        ("Always run `uv run pytest` before a commit, never bare pytest.", 12, 12, "Testing"),
        ("Tests must never touch the network.", 16, 16, "Testing"),
        ("Use four spaces, and no tabs.", 35, 36, "Style"),
        ("Names: prefer whole words", 37, 37, "Style"),
        ("Never abbreviate names in the public API.", 38, 38, "Style"),
    ]


def test_a_quote_stands_in_the_file_to_the_letter() -> None:
    for rule in read(FILE.replace("\n   and", " and")):
        lines = "\n".join(FILE.replace("\n   and", " and").split("\n")[rule.line - 1 : rule.line_end])
        assert rule.quote in lines.replace("\n> ", " ")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("## Don't\n\n- Commit secrets to the repository\n- any types\n", ["Don't commit secrets to the repository"]),
        ("## Avoid\n\n- global mutable state in modules\n", ["Avoid global mutable state in modules"]),
        ("**Never:**\n\n- Use `var` in new code\n", ["Don't use `var` in new code"]),
        ("- Never do these:\n  - Edit generated files by hand\n  - Don't push to main\n", None),
        ("- ❌ Use `var` in code\n- ✅ Use `const` in code\n", ["Don't use `var` in code", "Use `const` in code"]),
        ("## Do\n\n- small commits with one purpose\n", ["small commits with one purpose"]),
    ],
)
def test_what_stands_under_never_is_forbidden(text: str, expected: list[str] | None) -> None:
    assert stated(text) == (expected or ["Don't edit generated files by hand", "Don't push to main"])


@pytest.mark.parametrize(
    "text",
    [
        "The service then times out and never says why.",
        "- Exit tool (headless mode only)",
        "- Test coverage includes success cases and failures",
        "- State modifications through setter methods",
        "- See [AGENTS.md](AGENTS.md)",
        "@AGENTS.md",
        "- `src/store/` — Redux slices",
        "Should we always use tabs?",
        "Our users said that the old parser did not fail.",
        "### Adding an event\n\n1. Add the schema in `schemas/`\n2. Add the type in `types.ts`\n",
        "- Rules for tests:\n",
    ],
)
def test_what_states_no_rule_is_left_out(text: str) -> None:
    assert stated(text) == []


@pytest.mark.parametrize(
    ("text", "category"),
    [
        ("- Use `pnpm install` in the web folder", Category.TOOLING),
        ("- Never edit files in `vendor/`", Category.CONSTRAINT),
        ("- Use sentence case for headings", Category.CONVENTION),
        ("- Put queries in the layer that belongs in `store/`", Category.ARCHITECTURE),
    ],
)
def test_a_rule_is_of_the_kind_that_its_words_say(text: str, category: Category) -> None:
    assert [rule.category for rule in read(text)] == [category]


@pytest.mark.parametrize(
    ("front", "globs"),
    [
        ("globs: src/**/*.ts, tests/**\nalwaysApply: false", ("src/**/*.ts", "tests/**")),
        ("globs: *.ts,*.{js,jsx}", ("*.ts", "*.{js,jsx}")),
        ('globs: ["*.py", "*.pyi"]', ("*.py", "*.pyi")),
        ('applyTo: "docs/**"', ("docs/**",)),
        ('applyTo: "**"', ()),
        ("paths:\n  - api/**", ("api/**",)),
        ("globs: src/**\nalwaysApply: true", ()),
        ("description: all of it", ()),
        ("globs: [", ()),
    ],
)
def test_front_matter_says_for_which_files(front: str, globs: tuple[str, ...]) -> None:
    (rule,) = read(f"---\n{front}\n---\n\n- Never edit files in vendor by hand\n")
    assert (rule.globs, rule.line) == (globs, front.count("\n") + 5)


@pytest.mark.parametrize(
    "piece", ["- Never a `b\n", "x ", " ", "[a](b) ", "**", '"', "Never use it. e.g. `", "> ", "|", "- - "]
)
def test_huge_files_are_read_in_passing(piece: str) -> None:
    text = piece * (200_000 // len(piece))
    assert len(read(text)) <= text.count("\n")
    read("\n".join([piece * 100] * 500))


MARKS = ["- ", "1. ", "# ", "```", "~~~", "> ", "| a | b |", "<!--", "-->", "**", "`", "\n", "\n\n", "  ", "---\n", ":"]
PIECES = st.sampled_from([*MARKS, "Never use it. ", "x"])


@given(st.one_of(st.text(max_size=200), st.lists(PIECES, max_size=40).map("".join)))
@example("NEVER 0 0<!---->0")
@example(":<!---->NEVER 0 0")
def test_whatever_a_file_holds_is_survived_and_named_by_its_lines(text: str) -> None:
    count = text.count("\n") + 1
    for rule in read(text):
        assert 1 <= rule.line <= rule.line_end <= count
        assert rule.statement.strip()
        assert all(word in text for word in rule.quote.split())
