"""The editor for headline and lesson. Unsaved text is a draft, kept in a small file from the first letter.

Agents get the lesson, so a person sees every lesson before it is saved. While the headline changes, the same words in the
lesson follow. If the lesson says more, enter goes there first.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from textual.binding import BindingType
from textual.containers import Horizontal, Vertical
from textual.message import Message
from textual.widgets import Input, Label

from curator import clock
from curator.app import carry_headline, restate
from curator.io import files
from curator.tui.text import ago

if TYPE_CHECKING:
    from curator.tui.text_field import Sentence


Texts = tuple[str, str]
Draft = tuple[str, str, float]
"""A draft's headline and insight, and when they were typed last."""


class Drafts:
    """Headline and insight by the entry's id, empty for a new lesson. Raises ``OSError`` if the file can't be written."""

    def __init__(self, file: Path) -> None:
        self.file = file
        self._drafts = self._read()

    def get(self, id_: str) -> Texts | None:
        """Return the draft for an entry."""
        kept = self._drafts.get(id_)
        return kept and kept[:2]

    def label(self, id_: str) -> str:
        """Return the label of an entry's draft, with its age. Return an empty text if there is none."""
        kept = self._drafts.get(id_)
        if kept is None:
            return ""
        return f"draft, {ago(clock.now() - kept[2])}"

    def label_with_headline(self, id_: str) -> str:
        """Return the same with the draft's headline."""
        return f"{self.label(id_)}: {self._drafts[id_][0]}" if id_ in self._drafts else ""

    def ids(self) -> list[str]:
        """Return the entries with a draft."""
        return list(self._drafts)

    def put(self, id_: str, texts: Texts) -> None:
        """Keep a draft."""
        if self.get(id_) != texts:
            self._write({**self._read(), id_: (*texts, clock.now())})

    def drop(self, id_: str) -> None:
        """Delete a draft after its text was saved, or when it is the stored text again."""
        if id_ in self._drafts:
            kept = self._read()
            kept.pop(id_, None)
            self._write(kept)

    def _read(self) -> dict[str, Draft]:
        """Read the drafts, including those of other windows. A file of another form has none."""
        try:
            found = json.loads(self.file.read_text(encoding="utf-8"))
            return {str(id_): _draft(*values) for id_, values in found.items()}
        except (OSError, ValueError, TypeError, AttributeError):
            return {}

    def _write(self, kept: dict[str, Draft]) -> None:
        self._drafts = kept
        files.write(self.file, json.dumps(kept, ensure_ascii=False, indent=1))


def _draft(headline: object, insight: object, at: float) -> Draft:
    return str(headline), str(insight), float(at)


MAX_HEADLINE_WORDS = 16
MAX_INSIGHT_WORDS = 30
"""Words of a lesson that people read at a glance."""


class Editor(Vertical):
    """Two fields with their counts of words. Posts ``Typed`` while somebody types, then ``Saved`` or ``Left``."""

    BINDINGS: ClassVar[list[BindingType]] = [("escape", "leave", "Leave a draft"), ("ctrl+s", "save", "Save")]

    @dataclass
    class Typed(Message):
        """The current texts, after each change. ``id`` is the entry's, or empty for a new lesson."""

        id: str
        headline: str
        insight: str

    class Saved(Typed):
        """The texts to save."""

    class Left(Typed):
        """The person left the editor. The typed text is kept as a draft."""

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.display = False
        self.entry_id = ""
        self._last_texts = ("", "")
        self._stored_texts = ("", "")
        self._proposal = ""
        """The text of the lesson's field until a person types there."""

    def _prepare(self) -> None:
        """Add the fields when they are first needed, since their import and styles would delay the first card."""
        if self.query("#headline"):
            return
        from curator.tui.text_field import Sentence  # the first card is drawn without it

        headline = Input(id="headline", placeholder="the lesson in about 12 words", compact=True, select_on_focus=False)
        insight = Sentence(id="insight", placeholder="the lesson in one full sentence (tab)")
        for name, field, count in (("Headline", headline, "words"), ("Lesson", insight, "length")):
            row = Horizontal(classes="field")
            self.mount(row)
            row.mount(Label(name, classes="name"), field, Label("", id=count, classes="count"))

    @property
    def _sentence(self) -> Sentence:
        from curator.tui.text_field import Sentence  # the first card is drawn without it

        return self.query_one(Sentence)

    def open(self, entry_id: str, headline: str, insight: str, *, stored: tuple[str, str] | None = None) -> None:
        """Start editing with the cursor at the end of the headline. ``stored`` is the text that a draft would change."""
        self._prepare()
        self.entry_id, self._last_texts = entry_id, (headline.strip(), insight.strip())
        self._stored_texts = stored or self._last_texts
        self._proposal = carry_headline(self._stored_texts[0], headline.strip(), self._stored_texts[1]).strip()
        self._sentence.say(self._last_texts[1])
        field = self.query_one("#headline", Input)
        field.value = headline
        field.cursor_position = len(headline)
        self.display = True
        self.screen.set_focus(field)  # at once: the next key may be on its way
        self._count()

    def close(self) -> None:
        """Stop editing."""
        self.display = False

    def texts(self) -> tuple[str, str]:
        """Return the current headline and insight."""
        return self.query_one("#headline", Input).value.strip(), self._sentence.text.strip()

    @property
    def needs_review(self) -> bool:
        """Return whether enter goes to the lesson first, because it says more than the new headline."""
        (headline, insight), (old, was) = self.texts(), self._stored_texts
        asked = self.query_one("#headline", Input).has_focus and headline != old and insight == self._proposal
        more = insight.rstrip(".") != headline.rstrip(".")
        return asked and bool(insight) and more and restate(old, headline, was) != insight

    def on_input_changed(self, event: Input.Changed) -> None:
        """Update the lesson from the headline until somebody types there."""
        event.stop()
        headline, insight = self.texts()
        if insight == self._proposal and headline:
            self._proposal = carry_headline(self._stored_texts[0], headline, self._stored_texts[1]).strip()
            if self._proposal != insight:
                self._sentence.say(self._proposal)
        self._note_change()

    def on_text_area_changed(self, event: Message) -> None:
        """React when a person types in a field."""
        event.stop()
        self._note_change()

    def _note_change(self) -> None:
        self._count()
        if self.display and self.texts() != self._last_texts:
            self._last_texts = self.texts()
            self.post_message(self.Typed(self.entry_id, *self._last_texts))

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Save the visible texts on enter, or show the lesson."""
        event.stop()
        if self.needs_review:
            self._sentence.focus()
            self._sentence.move_cursor(self._sentence.document.end)
        else:
            self.action_save()

    def on_sentence_entered(self, event: Message) -> None:
        """Save the visible texts on enter."""
        event.stop()
        self.action_save()

    def on_descendant_focus(self) -> None:
        """Tell the frame that enter works differently in the other field."""
        if self.display:
            self.post_message(self.Typed(self.entry_id, *self.texts()))

    def action_save(self) -> None:
        """Save both texts as they are visible."""
        self.post_message(self.Saved(self.entry_id, *self.texts()))

    def action_leave(self) -> None:
        """Leave the editor with Esc. The text stays as a draft."""
        self.post_message(self.Left(self.entry_id, *self.texts()))

    def _count(self) -> None:
        for (name, most), text in zip(
            (("#words", MAX_HEADLINE_WORDS), ("#length", MAX_INSIGHT_WORDS)), self.texts(), strict=True
        ):
            for label in self.query(name).results(Label):
                words = len(text.split())
                label.set_class(words > most, "-over")
                label.update(
                    f"{words}/{most}" + (" too many" if words > most and self.size.width >= MIN_WIDTH_FOR_WORD else "")
                )


MIN_WIDTH_FOR_WORD = 60
"""Minimum number of cells to show a word after a count."""


def typing(editor: Editor, save: str, esc: str = "Draft") -> Iterator[tuple[str, str]]:
    """Yield the keys of the editor and their effects."""
    yield ("enter", "Lesson" if editor.needs_review else save)
    yield ("^s", save) if editor.needs_review else ("tab", "Next")
    yield ("esc", esc)
