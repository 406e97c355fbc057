"""One note is dropped or reworded, and every other byte of its file stays."""

from __future__ import annotations

from pathlib import Path

import pytest

from curator.memories import STORES, Place, Source, Store, edit
from curator.memories.discover import source_of
from curator.memories.note import Note

BY_NAME = {store.name: store for store in STORES}


def look(name: str, data: bytes, file: str = "MEMORY.md") -> tuple[Store, Source, list[Note]]:
    """Read bytes as a file of a store."""
    store = BY_NAME[name]
    source = source_of(Place(Path("/m"), Path("/m")), Path("/m", file), file, data)
    return store, source, list(store.notes(source))


def dropped(name: str, data: bytes, at: int, file: str = "MEMORY.md") -> bytes | None:
    store, source, cuts = look(name, data, file)
    return edit.drop(store, source, data, cuts[at])


def reworded(name: str, data: bytes, at: int, words: str, file: str = "MEMORY.md") -> bytes:
    _, source, cuts = look(name, data, file)
    return edit.reword(source, data, cuts[at], words)


TOPIC = b"""---\r
name: db\r
type: feedback\r
custom:  [kept,   as it is]\r
---\r
Tests use a **real** database,\r
never a mock.\r
\r
**Why:** a mock hid a bug.\r
"""


def test_a_topic_file_goes_whole_and_only_its_rule_is_reworded() -> None:
    assert dropped("claude-code", TOPIC, 0, "db.md") is None
    new = reworded("claude-code", TOPIC, 0, "Tests use a real server, never a mock.", "db.md")
    assert new == TOPIC.replace(b"database,", b"server,")


SEVERAL = b"""---
name: rules
type: feedback
---
Use pnpm in `web`.

**Why:** npm writes a second lock file.

Log with slog, never print.

**Why:** print is lost in production.
**How to apply:** import it from `core.log`.
"""


def test_one_rule_of_several_goes_with_its_reason_and_its_use() -> None:
    begin, end = SEVERAL.index(b"Log with"), SEVERAL.index(b"Use pnpm")
    assert dropped("claude-code", SEVERAL, 1, "rules.md") == SEVERAL[:begin]
    assert dropped("claude-code", SEVERAL, 0, "rules.md") == SEVERAL[:end] + b"\n" + SEVERAL[begin:]


def test_one_rule_of_several_goes_with_its_heading_and_labels_on_lines_of_their_own() -> None:
    one = b"## Web\nUse pnpm.\n\n**Why:**\nnpm writes a lock.\n\n**How to apply:**\n- in web\n\n"
    two = b"## Logs\nLog with slog.\n\n**Why:** print is lost.\n"
    front = b"---\nname: rules\n---\n"
    assert dropped("claude-code", front + one + two, 0, "rules.md") == front + b"\n" + two
    assert dropped("claude-code", front + one + two, 1, "rules.md") == front + one


INDEX = (
    b"\xef\xbb\xbf- Use pnpm in `web`.\n- [Database](db.md) \xe2\x80\x94 real\n"
    b"- [Style](./style.md), [Database](db.md)\n\n- Log with slog,\n  never print.\n  - not in tests either\n- last"
)


def test_a_bullet_goes_with_what_is_nested_below_it() -> None:
    assert dropped("claude-code", INDEX, 3) == INDEX.replace(
        b"- Log with slog,\n  never print.\n  - not in tests either\n", b""
    )
    assert dropped("claude-code", INDEX, 0) == INDEX.replace(b"- Use pnpm in `web`.\n", b"")
    assert dropped("claude-code", INDEX, 4) == INDEX.removesuffix(b"- last")


def test_a_bullet_keeps_its_mark_its_lines_and_its_missing_line_end() -> None:
    assert reworded("claude-code", INDEX, 0, "Use yarn in `web`.") == INDEX.replace(b"pnpm", b"yarn")
    new = reworded("claude-code", INDEX, 3, "Log with zap, never print. - not in tests either")
    assert new == INDEX.replace(b"slog", b"zap")
    assert reworded("claude-code", INDEX, 4, "first and last") == INDEX.replace(b"- last", b"- first and last")


def test_an_index_loses_the_entries_that_link_a_file_and_no_other() -> None:
    _, source, _ = look("claude-code", INDEX)
    assert edit.unlink(source.text, INDEX, "db.md") == INDEX.replace(b"- [Database](db.md) \xe2\x80\x94 real\n", b"")
    assert edit.unlink(source.text, INDEX, "style.md") == INDEX
    table = b"| file | about |\n|---|---|\n| `db.md` | real |\n| `ui.md` | next to `db.md` |\n"
    _, source, _ = look("claude-code", table)
    assert edit.unlink(source.text, table, "db.md") == table.replace(b"| `db.md` | real |\n", b"")


def test_bytes_that_are_no_text_stay() -> None:
    data = b"- caf\xe9 one\n- Use n\xffpm.\n"
    assert dropped("vscode-copilot", data, 0, "a.md") == b"- Use n\xffpm.\n"
    assert reworded("vscode-copilot", b"- caf\xe9 one\n- Use npm.\n", 1, "Use pnpm.", "a.md") == b"- caf\xe9 one\n- Use pnpm.\n"


def test_a_comment_inside_a_note_stays() -> None:
    data = b"- one\n<!-- mine -->\n  goes on\n- two\n"
    assert dropped("vscode-copilot", data, 0, "a.md") == b"<!-- mine -->\n- two\n"
    with pytest.raises(edit.Unclear, match="a comment"):
        reworded("vscode-copilot", data, 0, "one", "a.md")


GOOSE = b"# a b\nUse pnpm.\n\n# style\nLog with slog.\n\nNever print.\n\n# last\nx y\n"


def test_a_block_of_goose_goes_with_its_tags() -> None:
    assert dropped("goose", GOOSE, 1, "web.txt") == b"# a b\nUse pnpm.\n\n# last\nx y\n"
    assert reworded("goose", GOOSE, 0, "Use yarn.", "web.txt") == GOOSE.replace(b"pnpm", b"yarn")


SERENA = b"# Rules\n\n## Tests\n\nRun `make test`.\n\n## Layout\nThe code is in src.\n\n## Style\n- Never print.\n"


def test_a_section_of_serena_goes_with_its_heading_and_a_file_without_one_whole() -> None:
    assert dropped("serena", SERENA, 0, "r.md") == b"# Rules\n\n## Layout\nThe code is in src.\n\n## Style\n- Never print.\n"
    assert reworded("serena", SERENA, 1, "Never log.", "r.md") == SERENA.replace(b"print", b"log")
    assert dropped("serena", b"# Layout\nThe code is in src.\n", 0, "r.md") is None


def test_a_section_of_serena_below_a_smaller_heading_leaves_the_others() -> None:
    data = SERENA.replace(b"## Tests\n", b"## Tests\n### Units\n")
    assert dropped("serena", data, 0, "r.md") == b"# Rules\n\n## Layout\nThe code is in src.\n\n## Style\n- Never print.\n"


PATCH = (
    b"--- a/MEMORY.md\n+++ b/MEMORY.md\n@@ -1,2 +1,4 @@\n # Notes\n+- Use pnpm.\n+- Never npm.\n \n"
    b"@@ -9 +11,2 @@\n end\n+- Log with slog.\n--- a/b.md\n+++ b/b.md\n@@ -0,0 +1 @@\n+- Alone.\n"
)


def test_a_hunk_leaves_its_patch_and_the_others_begin_where_they_now_do() -> None:
    inbox = ".inbox/private/x.patch"
    first = PATCH[PATCH.index(b"@@") : PATCH.index(b"@@ -9")]
    assert dropped("gemini", PATCH, 0, inbox) == PATCH.replace(first, b"").replace(b"+11,2", b"+9,2")
    assert dropped("gemini", PATCH, 1, inbox) == PATCH.replace(b"@@ -9 +11,2 @@\n end\n+- Log with slog.\n", b"")
    assert dropped("gemini", PATCH, 2, inbox) == PATCH[: PATCH.index(b"--- a/b.md")]
    assert dropped("gemini", b"--- a/b.md\n+++ b/b.md\n@@ -0,0 +1 @@\n+- Alone.\n", 0, inbox) is None


def carried_over(patch: bytes, at: int, old: bytes, words: str = "") -> tuple[bytes, bytes | None]:
    _, source, cuts = look("gemini", patch, ".inbox/private/x.patch")
    return edit.carry_over(source, patch, cuts[at], old, words)


def test_a_hunk_comes_alone_into_its_file_and_the_others_still_fit() -> None:
    old = b"# Notes\r\n\r\n- one\r\n" + b"x\r\n" * 5 + b"end"
    first = PATCH[PATCH.index(b"@@") : PATCH.index(b"@@ -9")]
    new, rest = carried_over(PATCH, 0, old)
    assert new == old.replace(b"# Notes\r\n", b"# Notes\r\n- Use pnpm.\r\n- Never npm.\r\n")
    assert rest == PATCH.replace(first, b"").replace(b"-9 +11,2", b"-11 +11,2")
    assert carried_over(rest, 0, new)[0] == new + b"\r\n- Log with slog.\r\n"
    new, rest = carried_over(PATCH, 1, old, "Log with zap.")
    assert new == old + b"\r\n- Log with zap.\r\n"
    assert carried_over(PATCH, 2, b"")[0] == b"- Alone.\n"
    with pytest.raises(edit.Unclear, match="no longer has the lines"):
        carried_over(PATCH, 1, b"# Notes\n")


def test_a_hunk_replaces_the_nearest_lines_and_may_end_without_a_line_end() -> None:
    patch = b"--- /m/a.md\n+++ /m/a.md\n@@ -4 +4 @@\n-- old\n+- new\n\\ No newline at end of file\n"
    assert carried_over(patch, 0, b"- old\nx\ny\n- old\n") == (b"- old\nx\ny\n- new", None)
    assert carried_over(patch, 0, b"- old\nx\n- old\ny\n")[0] == b"- old\nx\n- new\ny\n"
    spread = b"--- /m/a.md\n+++ /m/a.md\n@@ -1 +1,3 @@\n+- Log with slog.\n - old\n+- Use pnpm.\n"
    assert carried_over(spread, 0, b"- old\n")[0] == b"- Log with slog.\n- old\n- Use pnpm.\n"
    with pytest.raises(edit.Unclear, match="in several places"):
        carried_over(spread, 0, b"- old\n", "Log with zap.")
    secret = patch.replace(b"new", b"The password=hunter22 opens it")
    with pytest.raises(edit.Unclear, match="secret"):
        carried_over(secret, 0, b"- old\n")


def test_codex_is_asked() -> None:
    assert edit.request("Use npm.\nAlways.", "") == "Forget this memory:\n\n> Use npm.\n> Always.\n"
    assert "by:\n\n> Use pnpm.\n" in edit.request("Use npm.", "Use pnpm.")


def test_a_secret_is_not_reworded() -> None:
    with pytest.raises(edit.Unclear, match="secret"):
        reworded("vscode-copilot", b"- The password=hunter22 opens it.\n", 0, "The key opens it.", "a.md")


def test_an_edit_keeps_the_emphasis_of_other_words() -> None:
    text = "# Title\n\n**Never** mock [the clock](c.md).\n- Use ✅ fakes,\n- and `x_y`."
    said = "Never mock the clock. - Use fakes, - and `x_z`."
    assert edit.reworded(text, said) == text.replace("x_y", "x_z")
    assert edit.reworded("one two three", "two three") == "two three"
    assert edit.reworded("one two three", "one") == "one"
    assert edit.reworded("", "one") == "one "
