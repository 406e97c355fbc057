"""Stop verdicts that come faster than a person decides: somebody types prose into the wrong pane."""

from __future__ import annotations

from curator import clock

INSTANT = 0.06
"""Two verdicts within this time come from prose or from a key held down; two fingers need longer."""

BURST = 0.3
MOST = 2
"""No more verdicts than this in ``BURST`` seconds; that long a silence ends a burst."""


class Burst:
    """When the last verdicts were made; moving and looking are nobody's loss and don't count."""

    def __init__(self) -> None:
        self._verdicts: list[float] = []
        self._last_key: float | None = None

    def begins(self) -> bool:
        """Whether a verdict now is one too many; it counts unless it is."""
        now = clock.now()
        self._verdicts = [at for at in self._verdicts if 0 <= now - at < BURST]
        if len(self._verdicts) >= MOST or (self._verdicts and now - self._verdicts[-1] < INSTANT):
            self._last_key = now
            return True
        self._verdicts.append(now)
        return False

    def lasts(self) -> bool:
        """Whether a burst goes on: each key in it asks, and has to be followed by silence."""
        now = clock.now()
        if self._last_key is None or not 0 <= now - self._last_key < BURST:
            self._last_key = None
            return False
        self._last_key = now
        return True

    @property
    def made(self) -> int:
        """How many verdicts the burst has made."""
        return len(self._verdicts)

    def forget(self) -> None:
        """Start anew, as after a long silence."""
        self._verdicts.clear()
        self._last_key = None
