"""Each rule of the table masks its own example, and no other rule does; what it must leave stays."""

from __future__ import annotations

import pytest

from curator.text.redact import MASK, mask
from curator.text.secrets import Finder
from curator.text.secrets.rules import RULES, Rule
from tests.text import forms


def masked_without(rule: Rule, text: str) -> str:
    """A text as it is masked by all other rules."""
    finder = Finder(other for other in RULES if other is not rule)
    while found := [(start, end) for start, end in finder.find(text) if MASK not in text[start:end]]:
        for start, end in reversed(found):
            text = text[:start] + MASK + text[end:]
    return text


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.name)
def test_a_rule_masks_its_example_and_no_other_rule_does(rule: Rule) -> None:
    text, values = forms.build(rule.masked, rule.name)
    lines = [line for value in values for line in value.split("\n")]
    assert lines
    assert [line for line in lines if line in mask(text)] == []
    without = masked_without(rule, text)
    assert [line for line in lines if line in without]


def test_a_rule_leaves_what_only_looks_like_its_secrets() -> None:
    texts = [forms.build(rule.kept, rule.name)[0] for rule in RULES]
    assert [text for text in texts if mask(text) != text] == []


def test_each_rule_has_a_name_of_its_own() -> None:
    names = [rule.name for rule in RULES]
    assert sorted(set(names)) == sorted(names)
