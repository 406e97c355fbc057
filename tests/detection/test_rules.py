"""A person's plain rule is proposed where it stands alone; wishes of the hour, questions, praise and tasks are not."""

from __future__ import annotations

import pytest

from curator.detection import detect
from curator.detection.cues import is_rule
from curator.model import Role
from tests.detection import turns
from tests.detection.test_detect import agent, human, session


def proposed(words: str) -> bool:
    """Whether a session of a few turns with these words gives a card that quotes a person.

    Some answer what an agent did.
    """
    before = (human("Have a look at the upload"), agent("I moved the upload into its own file."))
    said = session(*(before if words in turns.CORRECTING else ()), human(words), agent("Understood."))
    return any(one.evidence[0].role is Role.HUMAN for one in detect(said))


def test_of_forty_rules_nearly_all_are_proposed() -> None:
    missed = [words for words in (*turns.ALONE, *turns.CORRECTING, *turns.WITH_A_TASK) if not proposed(words)]
    assert len(missed) <= 3, missed


def test_of_forty_near_misses_few_are_proposed() -> None:
    assert len([words for words in turns.MISSES if proposed(words)]) <= 4


@pytest.mark.parametrize("words", [*turns.ALONE[:4], "NEVER force push", "use ruff, not flake8"])
def test_a_plain_rule_makes_a_card_by_itself(words: str) -> None:
    (found, *_) = detect(session(human(words), agent("Understood.")))
    assert found.signal in ("standing-rule", "correction", "remark")
    assert found.score_parts["said for good"] > 0
    assert found.evidence[0].quote in words


def test_a_rule_comes_with_its_reason() -> None:
    (found, *_) = detect(session(human("Never commit kv.db. It contains customer data."), agent("Understood.")))
    assert (found.headline, found.insight) == ("Never commit kv.db", "Never commit kv.db. It contains customer data")
    (found, *_) = detect(session(human("Never commit kv.db. Fix the login page."), agent("Understood.")))
    assert found.insight == "Never commit kv.db"


def test_dots_that_belong_to_a_command_stay_in_the_rule_and_name_no_folder() -> None:
    (found,) = detect(session(human("don't run go test ./... on the laptop, it takes the vpn down"), agent("Understood.")))
    assert found.headline == "Don't run go test ./... on the laptop, it takes the vpn down"
    assert found.files == ()


@pytest.mark.parametrize(
    "words",
    [
        *turns.MISSES,
        "I renamed the repository but never renamed the folder",
        "the upload always fails on CI",
        "we don't use redis anymore, right",
        "this error: no function clause matching in Web.Pos.handle_event",
        "so then don't we NOT want the workspace file",
        "do not edit the plan file itself",
        "do it again and don't change anything else",
        "",
        "never",
        "never ever",
        "don't",
    ],
)
def test_wishes_reports_questions_and_fragments_have_not_the_form_of_a_rule(words: str) -> None:
    assert not is_rule(words)


@pytest.mark.parametrize(
    "words",
    [
        "Only maintainers may edit CODEOWNERS.",
        "All new code needs type hints.",
        "Prefer small changes over big ones",
        "run the formatter before committing",
        "**Never** push to main",
        "In general, please don't ever rebase release branches",
        "Make sure to always pass a timeout to the client",
        "we use pnpm in this repository",
        "Fixtures belong in testdata/",
        "Imports are sorted by isort",
        "no inline styles in components",
        "When adding a route, update openapi.yaml",
        "in this package here we use httpx",
        "from now on write commit messages in English",
        "Niemals direkt pushen",
    ],
)
def test_a_rule_has_the_form_of_one(words: str) -> None:
    assert is_rule(words)


def test_an_agents_words_are_no_rule_of_a_persons() -> None:
    for one in detect(session(human("Go on"), agent("Never edit the generated client by hand, the next build overwrites it."))):
        assert "said for good" not in one.score_parts
