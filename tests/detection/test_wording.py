"""Wordings only leave out: short, clean ends, exact code, up to three that differ."""

from __future__ import annotations

import re
import sys
from types import FrameType

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from curator.detection.clauses import dangles, later
from curator.detection.frames import bare
from curator.detection.wording import (
    HEADLINE,
    INSIGHT,
    LONGEST,
    distinct,
    near,
    plain,
    shorten,
    wordings,
)
from curator.model import Wording


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("Actually, we never mock the clock.", "We never mock the clock"),
        ("The root cause is that the cache outlives the session.", "The cache outlives the session"),
        ("You're right — the flag is read once at startup", "The flag is read once at startup"),
        ("Turns out `go vet` needs the build tag", "`go vet` needs the build tag"),
        ("can you please always use tabs", "Always use tabs"),
        ("The problem was with how YAML reads the template", "The problem was with how YAML reads the template"),
        ("The build is failing because the lock file is stale", "The lock file is stale"),
        ("No migrations may be edited once merged", "No migrations may be edited once merged"),
        ("Stop using jest", "Stop using jest"),
        ("can you use a switch instead of linked ifs?", "Use a switch instead of linked ifs"),
        ("Why aren't we using table-driven tests?", "Why aren't we using table-driven tests?"),
        ("Looking at this log, the issue is that the port is taken", "The port is taken"),
        ("Done — `fetch` now retries once", "`fetch` now retries once"),
        ("go ahead and we should also add a changelog", "Add a changelog"),
        ("Anyway we renamed the package", "We renamed the package"),
        ("I verified it in a scratch module: `mode=ro` leaves the log behind", "`mode=ro` leaves the log behind"),
        (
            "I just checked for example: none of the files has a date",
            "I just checked for example: none of the files has a date",
        ),
        ("The failure is straightforward: the hook runs twice on Windows", "The hook runs twice on Windows"),
        ("I found the importer already makes a `tmp` folder", "The importer already makes a `tmp` folder"),
        ("I found the old films and the folder, so I'm done", "I found the old films and the folder, so I'm done"),
        ("Your error message indicates that the pool was empty", "The pool was empty"),
        ("The detailed check confirms the main branch is not protected", "The main branch is not protected"),
        ("That implies to me that we take the time from the call", "We take the time from the call"),
        ("This shows how the cache is filled in general", "This shows how the cache is filled in general"),
        ("We thought the pool is shared by all", "We thought the pool is shared by all"),
        ("The notes have a subtle gap: `seed` is still read as a date", "`seed` is still read as a date"),
        ("You must not change the id: `sync` is keyed by it", "You must not change the id: `sync` is keyed by it"),
        ("The `Hidden` flag ends it at lines 54-56, so nothing is sent", "The `Hidden` flag ends it, so nothing is sent"),
        ("One nuance worth noting to the reviewer: the unit is the kind of tool", "The unit is the kind of tool"),
        ("Fantastic, now , i want you to re-order the imports", "Re-order the imports"),
        ("Note that go-git reads no global settings", "go-git reads no global settings"),
        ("no no , keep the lock file in the tree", "Keep the lock file in the tree"),
        ("re 2, every reader belongs in a module of its own", "Every reader belongs in a module of its own"),
        ("3 - keep the fixtures small and written by hand", "Keep the fixtures small and written by hand"),
        ("3 - 4 fixtures are written by hand", "3 - 4 fixtures are written by hand"),
        ("In addition, fixtures are written by hand", "Fixtures are written by hand"),
        ("Important limitation: the token opens only the staging bucket", "The token opens only the staging bucket"),
        ("The tricky part is that the queue is shared by all workers", "The queue is shared by all workers"),
        ("The whole thing is slow on the machines of newcomers", "The whole thing is slow on the machines of newcomers"),
        ("It's important to note that the queue is shared by all", "The queue is shared by all"),
        ("As I said before, never push to the fork", "Never push to the fork"),
        ("No man, never push to the fork", "Never push to the fork"),
        ("like i mentioned we never push to the fork", "We never push to the fork"),
        ("I remind you of the rule that plans live in the tracker", "Plans live in the tracker"),
        ("(Note: in production, keys are read from the vault)", "In production, keys are read from the vault"),
        ("The issue was on line 93 where `total` should be `sum`", "`total` should be `sum`"),
        ("The API should be built on the agents' SDK if it makes sense", "The API should be built on the agents' SDK"),
        ("Two small notes for later: the flag is read once", "The flag is read once"),
        ("Also worth knowing: the flag is read once", "The flag is read once"),
        ("Only restart the server if necessary.", "Only restart the server if necessary"),
        ("Use `sudo` if you want", "Use `sudo` if you want"),
        ("Only write docs if it makes sense", "Only write docs if it makes sense"),
        ("The wrong assumption was that the cache is safe", "The wrong assumption was that the cache is safe"),
        ("The old rule was that a handler may write", "The old rule was that a handler may write"),
        ("No-op commits are not pushed", "No-op commits are not pushed"),
        ("So-called experts are not asked", "So-called experts are not asked"),
        ("Besides the tests, run the linter", "Besides the tests, run the linter"),
        ("Besides, the linter runs first", "The linter runs first"),
        ("For 3, 4 and 5 retries are needed", "For 3, 4 and 5 retries are needed"),
        ("To answer your question directly: the step could come later", "The step could come later"),
        ("Yes allow items in the same form", "Allow items in the same form"),
        ("We only want it for the one module, yeah?", "We only want it for the one module"),
    ],
)
def test_lead_ins_go_and_statements_stay(said: str, told: str) -> None:
    assert bare(said) == told


@pytest.mark.parametrize(
    ("said", "headline"),
    [
        (
            "In that state the worker can never give up before the server does, so retries keep paying for the rejection",
            "Retries keep paying for the rejection",
        ),
        (
            "Even if a run leaves no report behind, the pipeline writes an empty one so that the gate accepts it",
            "The pipeline writes an empty one",
        ),
        (
            "But we should keep in mind that a second window may hold the lock while the first one is being closed",
            "A second window may hold the lock",
        ),
        (
            "Rewrite the whole importer to drop the dependency on the database by exclusively using the exported files",
            "Rewrite the whole importer to drop the dependency on the database",
        ),
        (
            "When the page asks for a review without a base address, the browser sends it to the wrong origin at once",
            "The browser sends it to the wrong origin at once",
        ),
        (
            "Setting both variables to an empty file makes tests genuinely ignore everything that the machine has set",
            "Setting both variables to an empty file makes tests ignore everything that the machine has set",
        ),
        ("(1) the hook runs in a subshell", "The hook runs in a subshell"),
        ("Two things: the hook runs in a subshell", "The hook runs in a subshell"),
    ],
)
def test_a_headline_has_the_main_clause(said: str, headline: str) -> None:
    assert wordings(said)[0].headline == headline


def test_markup_goes_and_code_stays_exact() -> None:
    assert plain("**Never** edit [the schema](docs/x.md) with `a_b_c --force`") == "Never edit the schema with `a_b_c --force`"
    assert plain("run src/app/main.py twice") == "run `src/app/main.py` twice"
    assert plain("compare eval/result names and either/or") == "compare eval/result names and either/or"


@pytest.mark.parametrize(
    ("text", "headline"),
    [
        (
            "The exporter writes the file before the lock is taken, so a second window may see half of it at start",
            "The exporter writes the file before the lock is taken",
        ),
        (
            "Session files in the projects folder carry plain ids (no dates in front of them, whatever the docs of "
            "the vendor say)",
            "Session files in the projects folder carry plain ids",
        ),
        (
            "While we want the output of the install step to be complete, it needs to be friendly to newcomers",
            "It needs to be friendly to newcomers",
        ),
        (
            "The note stands on the server since this morning and everyone sees it there, but the commit itself was "
            "never pushed",
            "The commit itself was never pushed",
        ),
        (
            "Call `Map.get(event, :version)` wherever the old events of the first release may still turn up (there are many)",
            "Call `Map.get(event, :version)` wherever the old events of the first release…",
        ),
    ],
)
def test_a_headline_ends_where_a_clause_ends(text: str, headline: str) -> None:
    assert shorten(text, HEADLINE) == headline


@pytest.mark.parametrize(
    ("said", "headline"),
    [
        (  # a few words more make it whole
            "The bell component is trying to import a hook for toasts that doesn't exist any more",
            "The bell component is trying to import a hook for toasts that doesn't exist any more",
        ),
        (  # the contrast and the cause belong to it
            "The reader is designed for files of this machine, not remote addresses",
            "The reader is designed for files of this machine, not remote addresses",
        ),
        (
            "The checker (that of the editor) couldn't find the packages because it doesn't know your `.venv`",
            "The checker couldn't find the packages because it doesn't know your `.venv`",
        ),
        (  # what stands before "but" only leads to it, unless it denies something
            "The path in the settings was given, but the loader was always called with one of its own from the first release",
            "The loader was always called with one of its own from the first release",
        ),
        (
            "The two tests pass alone but fail when they run together",
            "The two tests pass alone but fail when they run together",
        ),
        (
            "Tokens can't be bound to one branch, but we need the job of the release to have as few rights as it can",
            "Tokens can't be bound to one branch",
        ),
        (  # "the same … as" is one
            "Local runs do not use the same layers of the image cache as our runners, so each of them starts from nothing",
            "Local runs do not use the same layers of the image cache as our runners",
        ),
        ("The watcher now reads the folder even when the list of the sessions is still empty, which costs little", ""),
    ],
)
def test_a_headline_is_a_whole_clause(said: str, headline: str) -> None:
    assert wordings(said)[0].headline == (headline or said.partition(",")[0])


@pytest.mark.parametrize(
    ("text", "is_dangling"),
    [
        ("Don't remove them, just don't add them", True),
        ("Consider removing these fields from the payload", True),
        ("I still don't see it in the menu of settings", True),
        ("The parser reads a file and closes it", False),
        ("Never edit `api.gen.ts`, change the spec and build it", False),
        ("This repo has no tests", False),
        ("Run it in this project", True),
        ("Run `make all clean` and keep it", False),
        ("The pool makes it possible to read while somebody writes", False),
        ("Keep the fields, and only add to these fields", False),
    ],
)
def test_what_points_back_is_told_from_what_is_named(text: str, is_dangling: bool) -> None:
    assert dangles(text) is is_dangling


def test_files_that_are_handed_over_with_words_are_no_part_of_them() -> None:
    assert plain("Later there will be more options.@A_list.md @B_list.md @C_list.md") == "Later there will be more options"
    assert plain("tell them apart by colour @A_list.md @B_list.md") == "tell them apart by colour"
    assert plain("never edit @A_list.md or @B_list.md @C_list.md") == "never edit `A_list.md` or `B_list.md` `C_list.md`"


def test_what_only_introduces_what_stands_below_is_left_out() -> None:
    (first, *_) = wordings("With `--flat` the backend is never installed, and you get:")
    assert first.insight == "With `--flat` the backend is never installed"


def test_a_condition_is_not_left_out_of_an_offer() -> None:
    offers = wordings("The reader skips the whole file when the first line of it is longer than the window that it has")
    assert all("when" in one.insight for one in offers)
    assert not [one for one in offers if one.headline == "The reader skips the whole file"][1:]


def test_without_a_clause_the_cut_leaves_no_loose_end() -> None:
    text = "Keep the adapter tests for the streaming provider of the legacy gateway in the folder of the provider itself"
    assert shorten(text, HEADLINE) == "Keep the adapter tests for the streaming provider of the legacy gateway"


def test_a_pronoun_gets_its_name() -> None:
    first = wordings("It drops the cache on every login.", before="The culprit is `SessionStore`.")[0]
    assert first.headline == "`SessionStore` drops the cache on every login"
    first = wordings("It must run before the migration.", heading="Seed script")[0]
    assert first.headline.startswith("Seed script: ")


@pytest.mark.parametrize(
    ("said", "before", "headline"),
    [
        ("It drops them on login", "The session store is no cache.", "The session store drops them on login"),
        ("They get lost on Windows", "The session store is no cache.", "They get lost on Windows"),
        ("This is safe because every page is drawn by its real name", "", "Every page is drawn by its real name"),
        ("I agree with folders; the layout should be `out/<name>`", "", "The layout should be `out/<name>`"),
        ("These should never be edited by hand, always use the generator", "", "Always use the generator"),
        ("I want one test a file, the fixtures can be shared", "", "I want one test a file, the fixtures can be shared"),
        (
            "That only mends one commit, not the other shell's `git`",
            "",
            "That only mends one commit, not the other shell's `git`",
        ),
    ],
)
def test_a_pronoun_is_resolved_or_the_first_clause_without_one_taken(said: str, before: str, headline: str) -> None:
    assert wordings(said, before=before)[0].headline == headline


def test_reasons_make_a_broader_offer() -> None:
    offers = wordings(
        "Always pin the compiler version in the container because the nightly one breaks our macros every second week or so."
    )
    assert "Always pin the compiler version in the container" in {offer.headline for offer in offers}


def letters(text: str) -> str:
    """A text without case, spaces and punctuation."""
    return "".join(filter(str.isalnum, text.lower()))


def test_where_nothing_else_can_be_said_nothing_else_is_offered() -> None:
    assert [offer.label for offer in wordings("Never commit kv.db.")] == ["worded"]
    assert distinct([Wording("Use C.", "", "one"), Wording("use `C`", "", "two"), Wording("Use C++", "", "three")]) == (
        Wording("Use C.", "", "one"),
        Wording("Use C++", "", "three"),
    )


WORDS = st.sampled_from(
    [
        "use the lock file",
        "because of slow tests,",
        "never in main;",
        "— it is `a b`",
        "(x y)",
        "and with care",
        "src/a.py",
        "so the cache of it",
        "works.",
    ]
)


@given(st.lists(WORDS, min_size=2, max_size=14).map(" ".join), st.sampled_from(["", "Lock file", "The cache is `x`."]))
@settings(max_examples=300, deadline=None)
def test_any_sentence_gets_short_balanced_wordings_that_differ(said: str, beside: str) -> None:
    assume(any(word.strip("`").isalpha() for word in said.split()))
    offers = wordings(f"{said} schema", heading=beside, before=beside, after=beside)
    assert 1 <= len(offers) <= 3
    assert len({(letters(offer.headline), letters(offer.insight)) for offer in offers}) == len(offers)
    for offer in offers:
        assert 0 < len(offer.headline.split()) <= LONGEST
        assert 0 < len(offer.insight.split()) <= INSIGHT
        assert offer.headline.count("`") % 2 == 0
        cut = len(said.split()) > LONGEST and len(offer.headline.split()) > 3
        assert not cut or offer.headline.split()[-1].lower() not in {"and", "or", "the", "of", "because"}


@given(st.text(max_size=200))
@settings(max_examples=100, deadline=None)
def test_any_text_is_survived(text: str) -> None:
    for offer in wordings(text, text, text, text):
        assert len(offer.headline.split()) <= HEADLINE


def handed(text: str) -> int:
    """Letters that functions hand one another while a text is worded: it grows with each look at another beginning of it."""
    letters = 0

    def count(frame: FrameType, event: str, _: object) -> None:
        nonlocal letters
        if event == "call":
            letters += sum(len(value) for value in frame.f_locals.values() if isinstance(value, str))

    before = sys.getprofile()
    sys.setprofile(count)
    try:
        wordings(text, text, text, text)
    finally:
        sys.setprofile(before)
    return letters


@pytest.mark.parametrize(
    "part",
    [
        *(
            "(a ",
            "a) ",
            "no, ",
            "a; ",
            "so, ",
            "but a ",
            "a..b ",
            "**a ",
            "never a unless ",
            "in abc def, ",
            "if we do abc, so ",
        ),
        *("while abc def, ", "to abc (def), ", "a that ", "`a ", "[a]( ", "— a ", "including a, ", "-", ".", "a-"),
    ],
)
def test_twice_as_much_text_takes_twice_as_long(part: str) -> None:
    once, twice = (part * often + "we keep the x of it all" for often in (800, 1_600))
    assert handed(twice) <= 2.2 * handed(once)


@pytest.mark.parametrize(
    ("said", "told"),
    [
        (
            "In a notebook with `%gui qt`, you should not call `run()`, because the kernel is already running the event loop",
            "In a notebook with `%gui qt`, you should not call `run()`",
        ),
        (
            "If the queue is full, the writer waits for a free slot, and no row is lost as long as there is a disk",
            "If the queue is full, the writer waits for a free slot",
        ),
        (
            "Since the cache is shared by all of the workers, every key begins with the name of its team, as in the old one",
            "Every key begins with the name of its team",
        ),
        (
            "When they run in the nightly build, the workers share a cache, which is filled by the first of them at midnight",
            "The workers share a cache, which is filled by the first of them at midnight",
        ),
        (
            "When the nightly build runs, the workers share a cache, but none writes to it",
            "The workers share a cache, but none writes to it",
        ),
    ],
)
def test_a_condition_stays_before_its_clause_where_there_is_room(said: str, told: str) -> None:
    """A reason goes, and so does what nobody knows, or what would take the place of a contrast."""
    assert wordings(said)[0].headline == told


@pytest.mark.parametrize("front", ["in abc def, ", "if we do abc, so ", "when it is, then "])
def test_any_number_of_conditions_in_front_is_survived(front: str) -> None:
    assert len(wordings(front * 2_000 + "we keep the x of it all")[0].headline.split()) <= HEADLINE


@pytest.mark.parametrize(
    "text",
    [
        "in _client.py never add an argument to Client without adding the same to AsyncClient, we had a bug because of that",
        "Don't merge feature branches into the long-lived release branch before QA has signed off on the nightly build",
        "We never restart the workers by hand in production unless the on-call person of that week has agreed",
    ],
)
def test_a_prohibition_never_loses_its_exception_without_a_sign(text: str) -> None:
    for wording in wordings(text):
        for told in (wording.headline, wording.insight):
            kept = any(word in told for word in ("AsyncClient", "signed off", "agreed"))
            assert kept or told.endswith("…") or any(f" {joint} " in told for joint in ("without", "before", "unless")), told
            assert not told.startswith("We had a bug")


@pytest.mark.parametrize(
    ("said", "headline"),
    [
        (
            "The cache is safe to delete unless a build is running on one of the machines that share the network drive",
            "The cache is safe to delete unless a build is running",
        ),
        (
            "Keep them as separate and testable units (unless the other options are better) in the core package for now",
            "Keep them as separate and testable units (unless the other options are better)",
        ),
        (
            "If the strategy is not complete, document which parameters get modified by each function",
            "If the strategy is not complete, document which parameters get modified by each function",
        ),
        (
            "Tests may use the network only if the marker is set and the environment variable for the live suite is present",
            "Tests may use the network only if the marker is set and the environment variable",
        ),
    ],
)
def test_a_statement_never_loses_its_exception(said: str, headline: str) -> None:
    assert wordings(said)[0].headline == headline


@pytest.mark.parametrize("joint", ["unless", "not", "rather than", "instead of", "except"])
def test_what_does_not_hold_is_no_statement(joint: str) -> None:
    assert later(f"Keep it here, {joint} a retry is needed in the client", own=True) == []


@pytest.mark.parametrize(
    ("said", "headline"),
    [
        (
            "The best practice is to move all queries of the report into a worker so that the page never blocks while it loads",
            "Move all queries of the report into a worker",
        ),
        (
            "I also want to mention that all code should pass the checks of the pipeline, be written down"
            " in full, and work everywhere",
            "All code should pass the checks of the pipeline",
        ),
        (
            "I replaced the comment with one that says why: this reader never writes since"
            " none of its sessions could ever be made again",
            "This reader never writes since none of its sessions could ever be made again",
        ),
        (
            "The key is that the entire `a + b` expression, including its brackets and the names in it, needs to be quoted",
            "The entire `a + b` expression needs to be quoted",
        ),
        (
            "okay so main got something merged..that was the image at the top ..someone did that just before me",
            "Main got something merged",
        ),
        (
            "Let's NOT run the pipeline if the only change in a commit is to notes or to the folders of the editors",
            "Let's NOT run the pipeline if the only change in a commit is to notes",
        ),
        (
            "The issue is with `Page.stop()` - it wants the reason as its argument",
            "`Page.stop()` wants the reason as its argument",
        ),
        (
            "At that point the target folder was no longer empty, so the loader could not take the short way through the cache",
            "The target folder was no longer empty",
        ),
        (
            "Per the guide's own chapter on errors, `relay` sends what it has and falls back to a copy for all that was forced",
            "`relay` sends what it has and falls back to a copy for all that was forced",
        ),
        (
            "Checked against the sources: `relay` goes through the queue, which holds no more than ten of them at a time",
            "`relay` goes through the queue",
        ),
        (
            'You asked for "a start without an argument should not look like a failure", '
            "and the custom in `cli/` is to end with 0",
            "The custom in `cli/` is to end with 0",
        ),
        (
            "the `Every page of the guide has a heading with a name of its own that one can link to` item needs another word",
            "The Every page of the guide has a heading…",
        ),
        (
            "One more gap showed in the recovery: a release by hand needs a field for the ref, else it runs the old workflow",
            "A release by hand needs a field for the ref",
        ),
        (
            "So the precise claim is: *the stable `Options` don't show it and the bridge writes 0 in its place*",
            "The stable `Options` don't show it and the bridge writes 0 in its place",
        ),
        (
            "The old scale is used when drawing the page, but that value never seems to be set again after the start",
            "The old scale is used when drawing the page",
        ),
        (
            "Please make sure that all fields have a hint as well",
            "Make sure all fields have a hint as well",
        ),
        (
            "The key calls `draw()` which calls `paint()` of the page, but `paint()` takes no copy of its own - it needs it",
            "`paint()` takes no copy of its own",
        ),
        (
            "The variable of the scale is declared but only gets its value inside `setup()`, which runs after the other parts",
            "The variable of the scale is declared but only gets its value inside `setup()`",
        ),
        (
            "Since `qrlib` is a library for browsers that defines a global, we should copy it to the folder and load it there",
            "`qrlib` is a library for browsers that defines a global",
        ),
        (
            "We're calling `getName` on plain objects of the tree, but this method only exists on elements of the page",
            "We're calling `getName` on plain objects of the tree",
        ),
        (
            "The cleanup of a session does `Kill()` and more, but only `ExpectExit` ever calls `Wait()`, and nobody exits",
            "Only `ExpectExit` ever calls `Wait()`, and nobody exits",
        ),
        (
            "It means optional tracing that only starts when `KEY` is set, so it doesn't spam the logs but gives you a view",
            "It means optional tracing that only starts when `KEY` is set",
        ),
        (
            "One honest caveat: the check of every two seconds means new sessions are found late, which nobody minds",
            "The check of every two seconds means new sessions are found late",
        ),
        (
            "The error `Timeout` on `page.wait` is happening because the loop of the sketch keeps the page from coming to rest",
            "The loop of the sketch keeps the page from coming to rest",
        ),
        ("Look at apps/docs/routes/docs.$.tsx:93 and nowhere else", "Look at apps/docs/routes/docs.$.tsx:93 and nowhere else"),
    ],
)
def test_a_headline_stands_alone(said: str, headline: str) -> None:
    assert wordings(said)[0].headline == headline


@pytest.mark.parametrize(
    ("before", "after", "insight"),
    [
        ("", "The tags on them are signed.", "Never rebase release branches. The tags on them are signed"),
        ("", "It breaks the tags on them.", "Never rebase release branches. It breaks the tags on them"),
        ("The tags of releases are signed.", "", "The tags of releases are signed. Never rebase release branches"),
        ("Good, I've found the issue.", "Cleaner and fewer lines.", ""),
        ("Please do not mind the numbers.", "If you need more, ask me.", ""),
        ("For the sake of the data.", "Did it work this time around?", ""),
    ],
)
def test_a_neighbour_is_offered_with_a_statement_if_it_is_one_itself(before: str, after: str, insight: str) -> None:
    offers = wordings("Never rebase release branches", before=before, after=after)[1:]
    assert [offer.insight for offer in offers] == [insight][: bool(insight)]


def test_a_choice_that_is_none_is_not_offered() -> None:
    offers = wordings("The issue was that the summary lives in the metadata of the session, not in that of the checkpoint")
    assert not any(offer.headline.startswith("The issue was") for offer in offers)
    assert near("Also pin the compiler", "Pin the compiler")
    assert not near("Pin the compiler", "Pin the linter")


SAID = st.lists(
    st.sampled_from(
        [
            "the worker writes `a b` first",
            "because of slow tests",
            "which is why someone",
            "“the old rule”",
            "(only on Windows)",
            'we call it "the gate"',
            "run `make -j 4 all` before",
            "if nobody objects",
            "and the cache of it",
            "*never* by hand",
            "— not the other one",
            "to keep the list short",
            "using [the tool](x.md)",
            "until it works..",
            "so the index is stale,",
            "every file that someone",
        ]
    ),
    min_size=3,
    max_size=9,
).map(" ".join)
LOOSE = {
    "a",
    "an",
    "the",
    "and",
    "or",
    "but",
    "of",
    "in",
    "to",
    "for",
    "with",
    "by",
    "which",
    "that",
    "someone",
    "because",
    "if",
}


@given(SAID)
@settings(max_examples=200, deadline=None)
def test_any_headline_is_short_balanced_in_order_and_not_left_hanging(said: str) -> None:
    headline = wordings(f"{said} schema")[0].headline
    assert len(headline.split()) <= LONGEST
    for one, other in ("``", '""', "()", "[]", "“”"):
        assert headline.count(one) % 2 == 0 if one == other else headline.count(one) == headline.count(other)
    words = iter(re.findall(r"\w+", plain(f"{said} schema").lower()))
    assert all(word in words for word in re.findall(r"\w+", headline.lower()))
    for code in re.findall(r"`[^`]*`", headline):
        assert code in said
    last = headline.split()[-1].lower()
    assert last not in LOOSE or len(headline.split()) <= 3


def test_a_reason_is_not_offered_in_place_of_its_rule() -> None:
    offered = wordings("Use uv run pytest, not plain pytest, because the venv is not on the path in CI")
    assert all("pytest" in one.headline for one in offered)
