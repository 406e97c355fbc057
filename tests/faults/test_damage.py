"""Every command on a database broken in every way we know: a sentence each, and no readable verdict lost.

``tests/benchmarks/damage.py`` does it some hundred times; here each kind of damage has its turn once.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).resolve().parents[1] / "benchmarks" / "damage.py"
COMMANDS = "list --candidates,show AAAA-0000,history,doctor,status,search tool,hook,restore"
"""Those that change nothing, so that what is readable before is readable after them."""
KINDS = (
    "bytes flipped,pages zeroed,page of elsewhere,cut,header,schema,log gone,log of another",
    "text that makes no sense,value of another type,no UTF-8,table missing,index missing,version",
    "garbage,empty,gone,folder,pipe,read-only,no right,log cut",
)


@pytest.mark.parametrize("kinds", KINDS)
def test_no_damage_takes_the_words_away_or_a_verdict(kinds: str) -> None:
    count = str(len(kinds.split(",")))
    done = subprocess.run(
        [sys.executable, "-W", "ignore", str(SCRIPT), "--kinds", kinds, "--count", count, "--commands", COMMANDS],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
