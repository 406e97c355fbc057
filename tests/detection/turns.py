"""What people say to their agents: standing rules, and what only looks like one. Made up, before anything was tuned to it."""

from __future__ import annotations

ALONE = (
    "Never commit kv.db. It contains customer data.",
    "Don't use yarn here, we use pnpm.",
    "Always run make lint before you push",
    "never edit the generated client by hand",
    "dont touch the vendor folder, it gets overwritten by the sync job",
    "Do not add new dependencies without asking me first.",
    "all timestamps must be stored in UTC",
    "Migrations are append-only: never change one that has been released.",
    "use the Makefile targets instead of calling docker directly",
    "Prefer composition over inheritance in the widget package.",
    "No print statements in library code, use the logger",
    "we never deploy on fridays",
    "Please don't put secrets in the compose file; they belong in the vault.",
    "Tests must not hit the network.",
    "from now on write commit messages in the imperative",
    "Stop using any in the TypeScript code. We have strict mode for a reason.",
    "You must not push to main directly, open a pull request",
    "Commits have to be signed or the server rejects them",
    "Only use the staging key for local runs.",
    "Keep the public API free of numpy types",
    "avoid global state in the plugins",
    "Every new endpoint needs an entry in openapi.yaml.",
    "never ever run the seeder against production, it truncates tables first",
    "Never log the request body — it can hold card numbers.",
    "We don't mock the database in integration tests.",
    "Niemals direkt auf main pushen.",
    "don't ever rebase release branches",
)
"""Rules with which a person begins a session."""

CORRECTING = (
    "no, we use tabs in this repo, not spaces",
    "Wrong folder. Fixtures always go under testdata/.",
    "I told you before: don't run the whole suite, run only the touched package.",
    "that's not how we do it, errors are wrapped with fmt.Errorf and %w",
    "npm won't work here, use bun",
    "you should never call the payment sandbox from unit tests",
    "Actually we keep feature flags in flags.toml, not in env vars.",
)
"""Rules that answer something the agent did."""

WITH_A_TASK = (
    "Add a retry to the uploader. Never use time.sleep in async code, use asyncio.sleep.",
    "Please implement the CSV export. Always stream rows, the tables do not fit into memory.",
    "fix the date parser bug in the importer. and dont change the public function signatures, other teams import them",
    "Write a script that cleans old sessions. Note: we only support Postgres, don't write MySQL code.",
    "Rename the Account model to Profile.\n\nRules for this project:\n- never edit files under gen/\n- run `just check` "
    "before you commit",
    "Create the settings page. Strings must go through t(), we ship in nine languages.",
)
"""Rules inside of what an agent is asked to do."""

MISSES = (
    "don't touch that yet",
    "never mind",
    "Don't worry about the tests for now",
    "please don't stop until it's done",
    "Can you always see the logs?",
    "do we never close that connection?",
    "Great, that always makes me happy!",
    "looks good, never seen it that fast",
    "Don't commit yet, I want to look at it first",
    "add a button to the settings page that clears the cache",
    "Only change the header, leave the rest as it is.",
    "let's not do that now",
    "no need to run the tests this time",
    "I don't know why it fails",
    "it never finishes on my laptop",
    "The build always fails after I pull",
    "make sure the modal closes when I press escape",
    "don't forget the semicolon in line 12",
    "Must I restart the server?",
    "You don't have to explain it",
    "wait, don't run that",
    "why didn't you use the other file?",
    "should I use pnpm or yarn?",
    "use the second option",
    "don't do this one, do the next one first",
    "I never said that",
    "keep going",
    "Do not include the last column in this export, I'll add it tomorrow",
    "try it without the flag this time",
    "I always forget the name of that command",
    "we need to fix the login page before the demo tomorrow",
    "Please write a function that never returns null for an empty list",
    "the parser must accept empty lines too",
    "Implement a rate limiter that only allows ten requests a second per user",
    "stop, that's the wrong branch",
    "ok always good to know",
    "don't delete it, just move it to the bottom of the page",
    "that must have been the cache",
    "I'd prefer the blue one",
    "run the tests again and don't skip the slow ones",
)
"""Wishes of the hour, questions, praise, symptoms, tasks."""
