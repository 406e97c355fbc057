"""Secrets and unseen characters never leave: masked, stripped, idempotent, and quick on hostile input."""

from __future__ import annotations

import json
from collections.abc import Callable
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from curator.text.clean import strip
from curator.text.redact import MASK, clean, mask
from tests.text import forms

SIZE = 1 << 15
"""Characters of a hostile text: what costs the square of its length runs for minutes on it."""
TOKENS = """
AKIA{UP16} ghp_{b62_36} github_pat_{b62_22}_{b62_59} glpat-{b62_20} xoxb-{dig12}-{b62_24} sk-proj-{u64_48} sk-ant-api03-{u64_70}
npm_{b62_36} AIza{b62_35} eyJ{u64_24}.eyJ{u64_60}.{u64_32} sk_live_{b62_24} pypi-AgEIcHlwaS5vcmc{u64_60} ya29.{u64_60}
hf_{b62_34} tskey-auth-k{b62_12}CNTRL-{b62_32} AGE-SECRET-KEY-1{B32_58} hvs.{u64_70} SG.{u64_16}.{u64_32} 123456789:AA{b62_33}
""".split()
"""Tokens that are known by how they begin, whatever stands around them."""


@pytest.mark.parametrize("token", TOKENS)
def test_tokens_are_masked_wherever_they_stand(token: str) -> None:
    for frame in ("{}", "the key is {} now", "`{}`", "KEY={}", '{"k": "{}"}', "({})", "x\n{}\ny"):
        text, values = forms.build(frame.replace("{}", token), token)
        found = clean(text)
        assert left(found, values) == []
        assert MASK in found


@pytest.mark.parametrize(
    ("text", "secret"),
    [
        ("DB_PASSWORD: 's3cr3t!'", "s3cr3t!"),
        ("password: 123456", "123456"),
        ("-----BEGIN PRIVATE KEY-----\nMIIabc and no end", "MIIabc"),
        ("pass\u200bword=hunter2", "hunter2"),
        ("pass\x1b[31mword=hunter2", "hunter2"),
    ],
)
def test_short_unfinished_and_disguised_secrets_are_masked(text: str, secret: str) -> None:
    assert secret not in clean(text)
    assert MASK in clean(text)


FRAMES = ("{}", "Always check this first: {}", "   12\u2192{}", "`{}`", "ok\n{}\nnever commit that, use the vault instead.")


def left(text: str, values: list[str]) -> list[str]:
    """The lines of secrets of which ten characters in a row, or all that they have, still stand in a text."""
    lines = [line for value in values for line in value.split("\n")]
    return [line for line in lines if any(line[at : at + 10] in text for at in range(max(1, len(line) - 9)))]


def test_no_known_form_of_a_secret_leaks() -> None:
    leaks = []
    for form, frame in product(forms.SECRETS, FRAMES):
        text, values = forms.build(frame.replace("{}", form), form)
        assert values
        leaks += [(form, frame)] if left(clean(text), values) else []
    assert leaks == []


QUOTED = (
    lambda text: text.replace("\n", "\n> "),
    lambda text: text.replace("\n", "\n> > "),
    lambda text: text.replace("\n", "\n+"),
    lambda text: text.replace("\n", "\n-"),
    lambda text: text.replace("\n", "\n# "),
    lambda text: text.replace("\n", "\n  // "),
    lambda text: text.replace("\n", "\n * "),
    lambda text: text.replace("\n", "\n| "),
    lambda text: "".join(f"{at:6}\u2192{line}\n" for at, line in enumerate(text.split("\n"), 1)),
    lambda text: text.replace("\n", "\nweb-1  | "),
    lambda text: text.replace("\n", "\n2026-06-01T08:00:00.1234567Z "),
    lambda text: json.dumps({"output": text}),
    lambda text: json.dumps({"body": json.dumps({"output": text})}),
    lambda text: json.dumps({"log": json.dumps({"body": json.dumps({"output": text})})}),
)
"""The ways in which a text of several lines is quoted, changed, commented, numbered, logged, or put into JSON."""


@pytest.mark.parametrize("quoted", QUOTED)
@pytest.mark.parametrize(
    "form",
    [
        "env:\\n- name: SMTP_PASSWORD\\n  value: {word}-{word}-67",
        "password:\\n  {word}-{word}-{word}",
        "prog --password \\\\n    {word}55!x \\\\n    --user x",
        "\u043f\u0430\u0440\u043e\u043b\u044c: {b62_14}",
        '{"cmd": "{\\"env\\": {\\"API_SECRET\\": \\"{word}2026!\\"}}"}',
    ],
)
def test_a_secret_of_several_lines_is_masked_however_it_is_quoted(form: str, quoted: Callable[[str], str]) -> None:
    plain, values = forms.build(form, form)
    text = quoted(f"This fails:\n{plain}\n\nHelp.")
    found = clean(text)
    assert left(found, values) == []
    assert found.count("\n") == text.count("\n")


@pytest.mark.parametrize("form", ["args:\\n  - --password\\n  - {word}67!", "Password:\\n\\n    {word}-67!"])
def test_a_secret_at_the_end_of_a_text_in_json_is_masked(form: str) -> None:
    text, values = forms.build(form, form)
    for _ in range(3):
        text = json.dumps({"output": text})
        assert left(clean(text), values) == []


def test_what_only_looks_like_a_secret_stays() -> None:
    texts = [frame.replace("{}", form.replace("\\n", "\n")) for form, frame in product(forms.INNOCENT, FRAMES)]
    assert [text for text in texts if clean(text) != text] == []


def test_a_key_without_its_first_line_is_masked_and_the_lines_after_it_keep_their_numbers() -> None:
    text, values = forms.build("Here it is:\n{pem}\n-----END RSA PRIVATE KEY-----\nNow deploy.", "pem")
    found = mask(text)
    assert left(found, values) == []
    assert found.count("\n") == text.count("\n")
    assert found.endswith("\nNow deploy.")


@given(st.lists(st.sampled_from([*forms.SECRETS[::7], *forms.INNOCENT[::11]]), max_size=4), st.sampled_from([" ", "\n", ", "]))
def test_a_mask_keeps_every_line_and_stands_for_good(lines: list[str], between: str) -> None:
    text, _ = forms.build(between.join(lines), "some")
    once = mask(text)
    assert once.count("\n") == text.count("\n")
    assert mask(once) == once


def test_what_drives_a_terminal_or_hides_is_removed() -> None:
    hostile = "a\x1b[2Jb\x1b]0;title\x07c\x1b]8;;http://x\x1b\\d\x9b31me\x00f\x7fg\u202eh\u200bi\U000e0041j\ud800k\ufeffl"
    assert strip(hostile) == "abcdefghijkl"
    assert strip("a\tb\nc\r\nd\re") == "a\tb\nc\nd\ne"


def test_an_unfinished_escape_takes_no_text_along() -> None:
    assert strip("\x1b]0;never closed\nnext line") == "0;never closed\nnext line"


@given(st.text(alphabet=st.characters(codec=None), max_size=200))
def test_cleaning_twice_changes_nothing_more(text: str) -> None:
    once = clean(text)
    assert clean(once) == once
    assert all(mark in "\n\t" or mark.isprintable() or ord(mark) >= 0xA0 for mark in once)
    once.encode("utf-8")


PIECES = [
    *(forms.build(token, token)[0] for token in TOKENS),
    *("password=", "token: ", "://a:b@", "Bearer ", "--password ", "abc123", "eyJ", "\x1b[31m", "\u202e", MASK),
    *("-----BEGIN PRIVATE KEY-----", "-----END PRIVATE KEY-----", '"', "'", "`", " ", "\n", "=", ":", ".", "@", "[", "]"),
]


@given(st.lists(st.sampled_from(PIECES), max_size=9))
def test_cleaning_is_stable_for_secrets_in_any_company(pieces: list[str]) -> None:
    once = clean("".join(pieces))
    assert clean(once) == once


@pytest.mark.timeout(20)
@pytest.mark.parametrize(
    "piece",
    [
        *("a", "password=", "://a:b", "eyJaaaaaaa.", "\x1b]", "\x90", "token:   ", 'key="', "aB3", "aB3-", "a1/", "curl -u "),
        *("key ", "password (", "-----BEGIN PRIVATE KEY-----", "-----BEGIN X-----", "\u5bc6\u7801", "echo a|", "cookie="),
        *("secret\\n", "$6$", "pass: {default=", "?a=", "@x ", "a:5432:a:a:", "Zz9+\n", "login a ", "mnemonic abcd ", "'"),
        *("\\", "values (", "-p a", "token,pass,\n", "token,", "<<<a", "recovery codes\n1a2b\n", "passwords:\n- a1"),
        *("connect('a',", "password....", "a:b@c ", "postgres://app:pw@d", "code 1234 ", "name: DB_PASSWORD\n", "pass is "),
        "\u043f\u0430\u0440\u043e\u043b\u044c ",
        *("> ", "> > ", "\n+", "\\\\n", '\\\\"', "\\u0041", "1: \n", "web | "),
    ],
)
def test_a_hostile_text_ends(piece: str) -> None:
    text = (piece * SIZE)[:SIZE]
    assert len(clean(text)) <= 2 * len(text)
