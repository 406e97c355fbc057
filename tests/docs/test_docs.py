"""The documentation is what the program says, and its links lead somewhere."""

from __future__ import annotations

import re
import subprocess
import sys

from curator.cli import commands as every
from curator.keymap import ACTIONS, TARGETS
from curator.model import State
from curator.settings import Settings
from curator.transcripts import BUILT_IN
from tests.files import TOP

PAGES = [TOP / "README.md", *sorted((TOP / "docs").rglob("*.md"))]
LINK = re.compile(r"!?\[[^\]]*\]\((?!\w+:)(?P<file>[^)#\s]*)(?:#(?P<part>[^)\s]*))?\)")
FENCE = re.compile(r"^(`{3,}).*?^\1", re.DOTALL | re.MULTILINE)


def test_generated_parts_are_up_to_date() -> None:
    command = [sys.executable, "-m", "cogapp", "--check", "--diff", *map(str, PAGES)]
    done = subprocess.run(command, cwd=TOP, capture_output=True, text=True, timeout=100)
    assert done.returncode == 0, f"run `cog -r docs/*.md docs/*/*.md README.md`\n{done.stdout}{done.stderr}"


def test_every_command_key_and_setting_has_its_place() -> None:
    commands, keys, settings = (
        (TOP / "docs" / f"{name}.md").read_text(encoding="utf-8") for name in ("commands", "keys", "settings")
    )
    assert [name for name in every() if f"### curator {name}\n" not in commands] == []
    assert [action.name for action in ACTIONS if f"| {action.name} |" not in keys] == []
    assert [name for name in Settings._fields[1:] if f"| `{name}` |" not in settings] == []


def test_the_readme_names_each_kind_of_transcript() -> None:
    said = re.search(r"\*\*Reads (\d+) kinds of transcripts:\*\* (.*?)\.\n", (TOP / "README.md").read_text("utf-8"), re.DOTALL)
    assert said
    assert int(said[1]) == len(BUILT_IN) == len(re.split(r",\s+| and ", said[2]))


def anchors(text: str) -> set[str]:
    """The names that headings can be linked by, as code hosts make them."""
    headings = re.findall(r"^#+ (.+)$", FENCE.sub("", text), flags=re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def test_links_lead_to_files_and_headings_that_exist() -> None:
    dead = []
    for page in PAGES:
        for link in LINK.finditer(FENCE.sub("", page.read_text(encoding="utf-8"))):
            target = page.parent / link["file"] if link["file"] else page
            if not target.exists() or (link["part"] and link["part"] not in anchors(target.read_text(encoding="utf-8"))):
                dead.append((page.name, link[0]))
    assert dead == []


def test_commands_and_keys_in_the_text_exist() -> None:
    known = {f"`{key}`" for action in ACTIONS for key in action.keys} | {f"`{key}`" for key in TARGETS} | {"`S`"}
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        spans = "\n".join(re.findall(r"`[^`\n]+`", text))
        assert {*re.findall(r"(?<![\w/.-])curator ([a-z]+)(?![\w/.])", spans)} <= {*every()}, page
        keys = re.findall(r"`[^\W\d_]`", FENCE.sub("", text)) if page.parent.name != "notebook" else ()
        assert {*keys} <= known, page


def test_each_promise_of_security_names_a_test_that_exists() -> None:
    rows = re.findall(r"^\| (?!curator promises |-)(.+?) \| (.+?) \|$", (TOP / "docs" / "security.md").read_text("utf-8"), re.M)
    assert len(rows) > 25
    for promise, named in rows:
        tests = re.findall(r"`(\w+)::(\w+)`", named)
        assert tests, promise
        for module, function in tests:
            source = (TOP / "tests" / "trust" / f"{module}.py").read_text("utf-8")
            assert re.search(rf"^(?:async )?def {function}\(", source, re.M), (promise, function)


OLD_WORDS = re.compile(
    r"\b(anchors?|clash\w*|entry|entries|faded|held back|ground|rival|sayings?|sitting|twin|utterances?|verdicts?|vouch\w*)\b",
    re.I,
)
"""Words for which the glossary has another one."""


def test_keys_and_commands_use_the_words_of_the_glossary() -> None:
    words = re.findall(r"^\| ([a-z ]+) \|", (TOP / "docs" / "glossary.md").read_text("utf-8"), re.M)
    assert len(words) >= 25
    texts = [text for action in ACTIONS for text in (action.label, action.help)]
    texts += [command.help or "" for command in every().values()]
    texts += [str(getattr(option, "help", "") or "") for command in every().values() for option in command.params]
    said = " ".join([*texts, *every(), *State]).lower()
    assert [word for word in words if word != "word" and word not in said] == []
    assert OLD_WORDS.findall(" ".join(texts)) == []
