from __future__ import annotations

from datetime import datetime
from pathlib import Path

import pytest

from curator.hookspecs import Mark
from curator.model import Happening, Role, Turn
from curator.transcripts import AIDER_HISTORY, aider
from tests.files import write_file
from tests.transcripts.formats import FORMATS
from tests.transcripts.transcript_records import followed, happened, has, read, said

AIDER = FORMATS["aider"]
HEAD = "\n# aider chat started at 2025-07-15 11:38:37\n\n> /usr/bin/aider --model m  \n> Aider v0.85.1  \n\n"
HISTORY = (
    HEAD
    + """#### Never use tabs here.  
####   
#### Spaces only.  

Understood:

```python
# aider chat started at 2025-01-01 00:00:00
#### not a prompt  
> not a message  
```

#### A heading of the model
> a quotation of the model

> Tokens: 3.2k sent, 21 received.  
> src/a.py  
> Create new file? (Y)es/(N)o [Yes]: y  
> Applied edit to src/a.py  
> Applied edit to src/b.py  
> Commit abc1234 feat: spaces  
> You can use /undo to undo and discard each aider commit.  

#### /undo  
> Removed: abc1234 feat: spaces  

#### /run make test  
> Added 3 lines of output to the chat.  

#### /ask why is the cache cold?  

#### why is the cache cold?  

Because of the clock.

> rm -rf build  
> Run shell command? (Y)es/(N)o/(D)on't ask again [Yes]: n  
> make lint  
> Run shell command? (Y)es/(N)o/(D)on't ask again [Yes]: y  
> Running make lint  
> The LLM did not conform to the edit format.  
> # 1 SEARCH/REPLACE block failed to match!

## SearchReplaceNoExactMatch: no such line  
> litellm.BadRequestError: m is no model  

#### go on  

Half an answer

>  
> ^C again to exit  

#### /add src/c.py  
> Added src/c.py to the chat.  
"""
)


def write(tmp_path: Path, text: str) -> Path:
    return write_file(tmp_path / "app" / AIDER_HISTORY, text.encode())


def turns(tmp_path: Path, text: str) -> list[Turn]:
    return list(read(AIDER, write(tmp_path, text)).turns)


def test_each_kind_of_line_gives_its_turn(tmp_path: Path) -> None:
    found = turns(tmp_path, HISTORY)
    assert [(turn.role, turn.tool, turn.text, turn.locator.line, turn.locator.line_end) for turn in found] == [
        (Role.HUMAN, "", "Never use tabs here.\n\nSpaces only.", 7, 9),
        (Role.ASSISTANT, "", found[1].text, 11, 20),
        (Role.TOOL_CALL, "edit", "src/a.py\nsrc/b.py", 25, 27),
        (Role.TOOL_RESULT, "edit", found[3].text, 25, 27),
        (Role.EVENT, "edit", "", 30, 30),
        (Role.TOOL_CALL, "!", "make test", 33, 33),
        (Role.HUMAN, "", "why is the cache cold?", 36, 36),
        (Role.ASSISTANT, "", "Because of the clock.", 40, 40),
        (Role.TOOL_CALL, "shell", "rm -rf build", 42, 43),
        (Role.EVENT, "shell", "", 43, 43),
        (Role.TOOL_CALL, "shell", "make lint", 46, 46),
        (Role.TOOL_RESULT, "edit", found[11].text, 47, 51),
        (Role.HUMAN, "", "go on", 53, 53),
        (Role.ASSISTANT, "", "Half an answer", 55, 55),
        (Role.EVENT, "", "", 58, 58),
    ]
    assert found[1].text.endswith("> a quotation of the model")
    assert (found[3].ok, found[3].paths) == (True, ("src/a.py", "src/b.py"))
    has(found[4], happening=Happening.REFUSAL, paths=("src/a.py", "src/b.py"), ok=False)
    has(found[9], happening=Happening.REFUSAL, command="rm -rf build")
    assert (found[11].ok, "m is no model" in found[11].text) == (False, True)
    assert found[14].happening is Happening.INTERRUPTION


def test_one_file_holds_many_sessions(tmp_path: Path) -> None:
    text = HEAD + "#### one  \n\nA.\n" + HEAD + "#### two  \n" + HEAD.replace("15 11:", "16 11:") + "#### three  \n"
    found = turns(tmp_path, text)
    path = tmp_path / "app" / AIDER_HISTORY
    starts = ("2025-07-15T11:38:37", "2025-07-15T11:38:37-2", "2025-07-16T11:38:37")
    assert [turn.session for turn in found if turn.role is Role.HUMAN] == [f"{path}#{start}" for start in starts]
    assert found[0].cwd == str(tmp_path / "app")
    assert found[0].at == datetime(2025, 7, 15, 11, 38, 37).timestamp()


@pytest.mark.parametrize(
    ("entered", "words"),
    [
        ("/architect move the cache", "move the cache"),
        ("/replace A -> B", "/replace A -> B"),
        ("/clear", None),
        ("/ask", None),
        ("/commit tidy up", None),
        ("<blank>", None),
        ("Add file to the chat? (Y)es/(N)o/(A)ll [Yes]: skip", None),
        ("/home/x is full", "/home/x is full"),
    ],
)
def test_a_command_is_what_it_says_to_the_model(tmp_path: Path, entered: str, words: str | None) -> None:
    assert said(turns(tmp_path, f"{HEAD}#### {entered}  \n")) == ([words] if words else [])


@pytest.mark.parametrize(("entered", "command"), [("!ls -l", "ls -l"), ("/test make t", "make t"), ("/git log", "git log")])
def test_a_persons_own_command(tmp_path: Path, entered: str, command: str) -> None:
    (turn,) = turns(tmp_path, f"{HEAD}#### {entered}  \n")
    assert (turn.role, turn.tool, turn.command) == (Role.TOOL_CALL, "!", command)


def test_a_plan_that_comes_back_as_a_prompt_is_not_a_persons(tmp_path: Path) -> None:
    plan = "Change a.py:\n\n- drop the lock"
    prompt = "\n".join(f"#### {line}  " for line in plan.split("\n"))
    found = turns(tmp_path, f"{HEAD}#### drop it  \n\n{plan}\n\n> Edit the files? (Y)es/(N)o [Yes]: y  \n\n{prompt}\n\nOk.\n")
    assert said(found) == ["drop it"]
    assert [(turn.happening, turn.ok) for turn in found if turn.role is Role.EVENT] == [(Happening.ANSWER, True)]


def test_of_watched_comments_only_what_a_person_wrote(tmp_path: Path) -> None:
    prompt = 'Find the "AI" comments below (marked with █) in the files.\n\na.py:\n│x = 1\n█# keep this sorted AI!\n⋮'
    found = turns(tmp_path, HEAD + "".join(f"#### {line}  \n" for line in prompt.split("\n")))
    assert [(turn.text, turn.locator.line) for turn in found] == [("keep this sorted AI!", 11)]


def test_an_answer_for_all_files_is_given_once(tmp_path: Path) -> None:
    asked = "Add file to the chat? (Y)es/(N)o/(A)ll/(S)kip all [Yes]:"
    found = turns(tmp_path, f"{HEAD}> a.py  \n> {asked} s  \n> b.py  \n\n#### {asked} skip  \n> {asked} s  \n")
    assert [(turn.role, turn.paths) for turn in found] == [(Role.TOOL_CALL, ("a.py",)), (Role.EVENT, ("a.py",))]


def test_without_the_trailing_spaces_that_an_editor_cut_off(tmp_path: Path) -> None:
    history = HISTORY.replace("#### A heading of the model\n> a quotation of the model\n", "")
    trimmed = "\n".join(line.rstrip() for line in history.split("\n"))
    kept, cut = turns(tmp_path, history), turns(tmp_path, trimmed)
    assert said(kept) == said(cut)
    assert [turn.happening for turn in kept if turn.happening] == [turn.happening for turn in cut if turn.happening]


def test_line_ends_of_windows(tmp_path: Path) -> None:
    unix = [(turn.role, turn.text) for turn in turns(tmp_path, HISTORY)]
    assert [(turn.role, turn.text) for turn in turns(tmp_path, HISTORY.replace("\n", "\r\n"))] == unix


@pytest.mark.parametrize(
    "answer",
    [
        "See:\n\n```python\nx = 1\n\n> Tokens: 1 sent, 2 received.  \n\n#### two  \n\n```\ny\n```\n",
        "```python\nx = 1\n\n#### two  \n\nSee:\n\n```\ny\n```\n",
    ],
    ids=["never closed", "cut off"],
)
def test_an_open_fence_swallows_no_prompt(tmp_path: Path, answer: str) -> None:
    assert said(turns(tmp_path, f"{HEAD}#### one  \n\n{answer}")) == ["one", "two"]


def key(turn: Turn) -> tuple[str, str, str, int]:
    return (turn.session, turn.role, turn.text, turn.locator.line)


@pytest.mark.parametrize(
    ("told", "tool", "paths"),
    [
        ("Allow edits to src/a.py which was not previously provided? n", "edit", ("src/a.py",)),
        ("Allow creation of new file src/b.py? no", "edit", ("src/b.py",)),
        ("Attempt to fix lint errors? n", "lint", ()),
    ],
)
def test_questions_of_2023(tmp_path: Path, told: str, tool: str, paths: tuple[str, ...]) -> None:
    event = turns(tmp_path, f"{HEAD}#### go  \n\nOk.\n\n> {told}  \n")[-1]
    assert (event.happening, event.tool, event.paths) == (Happening.REFUSAL, tool, paths)
    assert happened(turns(tmp_path, f"{HEAD}> {told.rpartition(' ')[0]} y  \n")) == []


def test_set_up_questions_and_the_output_of_a_persons_command_are_nobodys(tmp_path: Path) -> None:
    assert turns(tmp_path, f"{HEAD}> Add .aider* to .gitignore (recommended)? (Y)es/(N)o [Yes]: n  \n") == []
    prompt = ["I ran this command:", "", "ls", "", "And got this output:", "", "a.py"]
    assert said(turns(tmp_path, HEAD + "".join(f"#### {line}  \n" for line in prompt))) == []


def test_a_growing_history_tells_all_turns_and_none_twice(tmp_path: Path) -> None:
    text = "".join(HISTORY.replace("11:38:37", f"11:38:{second}") for second in range(10, 20))
    whole = turns(tmp_path, text)
    lines = text.splitlines(keepends=True)
    mark = Mark()
    new: list[Turn] = []
    for size in (*range(0, len(lines), 7), len(lines)):
        path = write(tmp_path, "".join(lines[:size]))
        reading = AIDER.read(path, mark)
        new += reading.turns[reading.old_turns :]
        mark = reading.window
    assert set(map(key, whole)) <= set(map(key, new))
    # A message or prompt that was caught while it grew is told again.
    assert len(new) <= len(whole) * 1.6
    again = AIDER.read(path, reading.window)
    assert again.old_turns == len(again.turns)


def test_a_large_history_is_read_in_portions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = HISTORY * 20
    whole = turns(tmp_path, text)
    monkeypatch.setattr(aider, "PORTION", len(HISTORY) * 3)
    path = write(tmp_path, text)
    assert AIDER.read(path, Mark()).more
    assert followed(AIDER, path)[1] == [turn.text for turn in whole]


def test_a_history_that_shrank_is_said(tmp_path: Path) -> None:
    path = write(tmp_path, HISTORY)
    end = AIDER.read(path, Mark()).end
    path.write_text(HEAD)
    reading = AIDER.read(path, end)
    assert (reading.turns, reading.end) == ((), end)
    assert "shorter" in reading.errors[0]


def test_a_line_longer_than_a_portion_is_passed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(aider, "PORTION", 1_000)
    path = write(tmp_path, HEAD + "x" * 5_000 + "\n\n#### go on  \n")
    assert followed(AIDER, path)[1][-1] == "go on"
