"""The gate forgives form, never facts: of 48 good claims at least 44 pass however a small model writes them, no invention does.

The model's words go the whole way here: as JSON through ``answer.read`` and then through the gate.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from curator.detection import evidence
from curator.distill import gate
from curator.distill.gate import AcceptedClaim, Refusal, read
from curator.model import Candidate, Category, Locator, Role, Turn

Fields = dict[str, Any]
SAID = """\
Run `make schema` before the tests, because they read the generated tables.
The staging server blocks an address after three failed logins.
We chose SQLite because the tool must work without a network.
The cache key lacked the locale, so French pages showed English prices.
Polling the queue was given up because it doubled the bill.
The worker owns the retries and the API only enqueues jobs.
Every migration needs a test that runs it backwards.
Use `pnpm` here since the lock file of npm is ignored.
Never edit `vendor/` by hand, the nightly sync overwrites it.
The payment provider accepts amounts in cents only.
Times are stored in UTC and shown in the zone of the reader.
The scheduler crashed because two timers shared one handle.
Caching whole pages failed since the header holds the user's name.
`billing/rates.py` is the single place where taxes are computed.
Commit messages start with the module, such as `billing: round up`.
The integration tests need `docker compose up db` first.
The mail gateway drops attachments above ten megabytes.
Feature flags live in the database because a deploy takes an hour.
The parser lost the last row when a file had no final newline.
Splitting the importer into threads gave up the order of the rows.
The gateway translates errors, so services raise plain exceptions.
Ask before you add a dependency to the core package.
Set `TZ=UTC` for the report tests, otherwise the dates differ.
The old API stays until the mobile clients have moved.
Uploads go straight to the bucket because the proxy times out.
The login loop came from a cookie without the Secure attribute.
Mocking the clock hid the bug, so we inject it instead.
The event log is the source of truth and the tables are views.
Write error messages for the person who reads them at night.
Use `cargo nextest` since the plain runner hides the slow tests.
The license server allows five builds at the same time.
We keep the monolith because one team owns all of it.
The totals were wrong because the currency was rounded twice.
Regular expressions were too slow for the log filter, so it scans bytes.
The sync service reads from the replica, never from the primary.
Name a test after the behaviour, not after the function.
The linter needs node 20, older ones crash on the config.
The archive must stay readable for ten years by law.
Retries use jitter since all clients woke up together.
The importer hung because the pipe of the child was never read.
Storing sessions in Redis was dropped after the second outage.
The theme package holds all colours and components hold none.
Review comments get an answer before the branch is merged.
Deploy with `scripts/ship.sh` because it waits for the health check.
The browser caps local storage at five megabytes per origin.
Ids are random because customers counted each other's orders.
The flaky upload test raced with the cleanup of the temp folder.
Bundling the fonts failed the size limit of the app store.""".splitlines()
KINDS = [one.value for one in Category]
TURNS = [
    Turn(agent="a", session="s", role=Role.HUMAN, text=f"Fine. {text} Please go on.", locator=Locator("a", 10 * at, 10 * at))
    for at, text in enumerate(SAID, 1)
]


def good(at: int) -> Fields:
    words = SAID[at].rstrip(".")
    headline = " ".join(words.split()[:9]) if "`" not in words else words
    return {"kind": KINDS[at % len(KINDS)], "headline": headline, "insight": SAID[at], "line": 10 * (at + 1), "quote": SAID[at]}


def judged(change: Callable[[Fields], Fields], candidates: tuple[Candidate, ...] = ()) -> list[AcceptedClaim | Refusal]:
    """What becomes of each good claim after a change."""
    found = list[AcceptedClaim | Refusal]()
    for at in range(len(SAID)):
        passed, refused = gate.filter_claims(read(json.dumps([change(good(at))])), TURNS, "", candidates)
        found += [*passed, *refused]
    return found


def with_word(quote: str, at: int, word: str) -> str:
    words = quote.split()
    words[at] = word
    return " ".join(words)


FORMS: dict[str, Callable[[Fields], Fields]] = {
    "as asked": lambda one: one,
    "a speaker": lambda one: one | {"quote": f"AGENT: {one['quote']}"},
    "a line and a circumstance": lambda one: one | {"quote": f"[{one['line']}] USER (interruption): {one['quote']}"},
    "a list mark": lambda one: one | {"quote": f"- {one['quote']}", "headline": f"1. {one['headline']}"},
    "no line": lambda one: {name: value for name, value in one.items() if name != "line"},
    "a line off by five": lambda one: one | {"line": one["line"] + 5},
    "a headline of 17 words": lambda one: one | {"headline": f"{one['headline']} {'and so on ' * 6}"[:400]},
    "a long insight": lambda one: one | {"insight": f"{one['insight']} {'and so on ' * 30}"},
    "no headline": lambda one: one | {"headline": ""},
    "bug": lambda one: one | {"kind": "bug"},
    "rule": lambda one: one | {"kind": "Coding rules"},
    "another first word": lambda one: one | {"quote": with_word(one["quote"], 0, "something")},
    "another word": lambda one: one | {"quote": with_word(one["quote"], 4, "something")},
    "another last word": lambda one: one | {"quote": with_word(one["quote"], -1, "something")},
    "a missing word": lambda one: one | {"quote": with_word(one["quote"], 3, "")},
    "one more word": lambda one: one | {"quote": with_word(one["quote"], 3, f"really {one['quote'].split()[3]}")},
}
INVENTIONS: dict[str, Callable[[Fields], Fields]] = {
    "a name": lambda one: one | {"insight": f"{one['insight']} Ask Zorba."},
    "a path": lambda one: one | {"headline": f"{one['headline'].split()[0]} in src/never.py"},
    "a number": lambda one: one | {"insight": f"{one['insight']} It takes 4711 seconds."},
    "a quote": lambda one: one | {"quote": "The captain wants all of the sails in blue before winter."},
    "the words in another order": lambda one: one | {"quote": " ".join(sorted(one["quote"].split()))},
    "half of a quote": lambda one: one | {"quote": " ".join((*one["quote"].split()[:5], "as the whole team agreed at lunch"))},
    "another number": lambda one: one | {"quote": with_word(one["quote"], 4, "4711")},
    "a denial": lambda one: one | {"quote": with_word(one["quote"], 4, "not")},
    "no kind": lambda one: one | {"kind": "wisdom"},
}


@pytest.mark.parametrize("form", FORMS)
def test_good_claims_pass_in_any_form_and_quote_the_transcript(form: str) -> None:
    passed = [one for one in judged(FORMS[form]) if isinstance(one, AcceptedClaim)]
    assert len(SAID) == 48
    assert len(passed) >= 44
    for one in passed:
        quote = TURNS[one.turn].text[one.start : one.end]
        assert quote in TURNS[one.turn].text
        assert len(quote) > 30
        assert "something" not in quote
        assert len(one.claim.headline.split()) <= gate.HEADLINE


@pytest.mark.parametrize("invention", INVENTIONS)
def test_no_invention_passes(invention: str) -> None:
    assert [one for one in judged(INVENTIONS[invention]) if isinstance(one, AcceptedClaim)] == []


def test_a_chosen_candidate_lends_its_evidence_where_the_quote_fails() -> None:
    start = TURNS[8].text.index("Never")
    proof = evidence.gather(TURNS, 8, start, start + len(SAID[8]))
    assert proof is not None
    candidate = Candidate(
        category=Category.CONVENTION, headline=SAID[8], insight=SAID[8], evidence=(proof,), score=0.5, score_parts={},
        signal="rule",
        fingerprint="",
    )  # fmt: skip
    lost = {"quote": "as it was said above", "line": 3}
    named = judged(lambda one: one | lost | {"candidate": "C1"}, (candidate,))
    assert {(TURNS[8].text[one.start : one.end], one.turn) for one in named if isinstance(one, AcceptedClaim)} == {(SAID[8], 8)}
    for unnamed in ({"candidate": "C2"}, {}):
        fates = judged(lambda one, more=unnamed: {**one, **lost, **more}, (candidate,))  # type: ignore[misc]
        assert not [one for one in fates if isinstance(one, AcceptedClaim)]


def test_a_quote_that_stands_in_two_turns_needs_its_line() -> None:
    twice = [*TURNS, Turn(agent="a", session="s", role=Role.ASSISTANT, text=SAID[0], locator=Locator("a", 900, 900))]
    for line, turn in ((10, 0), (900, 48), (500, None)):
        passed, _ = gate.filter_claims(read(json.dumps([good(0) | {"line": line}])), twice, "")
        assert [one.turn for one in passed] == ([] if turn is None else [turn])
