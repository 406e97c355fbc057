"""What a benchmark says: figures with their targets, and how a cost grows."""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field


@dataclass(frozen=True, slots=True)
class Figure:
    """One row of the table: what was measured, the figure with its unit, the target, and whether it is met."""

    measure: str
    value: str
    target: str = ""
    met: bool | None = None


@dataclass(frozen=True, slots=True)
class Growth:
    """What a cost is at 10x steps of ``of``; the sentence says which curve that is."""

    measure: str
    of: str
    steps: Mapping[str, str] = field(default_factory=dict)
    curve: str = ""


def say(found: Iterable[Figure | Growth]) -> None:
    """Print figures as they come: JSON lines for ``run.py``, else text."""
    for item in found:
        if "--json" in sys.argv:
            print(json.dumps({"is": type(item).__name__} | asdict(item), ensure_ascii=False), flush=True)
        elif isinstance(item, Growth):
            steps = ", ".join(f"{step}: {value}" for step, value in item.steps.items())
            print(f"{item.measure} by {item.of}: {steps} - {item.curve}", flush=True)
        else:
            met = {True: "met", False: "NOT met", None: ""}[item.met]
            print(f"{item.measure}: {item.value}  {f'({item.target}: {met})' if item.target else ''}", flush=True)


def below(measure: str, value: float, limit: float, unit: str, digits: int = 1) -> Figure:
    """A figure whose target is an upper limit."""
    return Figure(measure, f"{value:.{digits}f} {unit}", f"≤ {limit:g} {unit}", value <= limit)


def cpu(work: Callable[[], object]) -> float:
    """CPU seconds of this process for one call."""
    before = time.process_time()
    work()
    return time.process_time() - before


def child(*command: str) -> str:
    """Run a Python script in a fresh process; returns what it printed."""
    run = subprocess.run([sys.executable, *command], capture_output=True, text=True)
    if run.returncode:
        raise SystemExit(f"{' '.join(command)} failed:\n{run.stderr[-2000:]}")
    return run.stdout.strip()


def curve(values: Sequence[float], *, noise: float = 1.6) -> str:
    """Which curve a cost follows over 10x steps, from what the last step multiplied it by."""
    if values[-1] <= noise * values[0]:
        return f"flat: {values[-1] / values[0]:.1f} times over all steps"
    step = values[-1] / values[-2]
    kind = "less than linear" if step < 6 else "linear" if step < 16 else "more than linear"
    return f"{kind}: the last 10x step costs {step:.1f} times as much"


median = statistics.median
