"""Propose candidates from sentences and mended commands."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from curator.detection import choices, clauses, commands, context, directives, passages, selection, wording
from curator.detection.categories import signal_of
from curator.detection.classifier import Judge, logistic
from curator.detection.passages import bag, content, fingerprint
from curator.detection.sentences import Sentence
from curator.model import Candidate, Category, Durability, Role, Turn, Wording

_NO_STATEMENT = frozenset(("plan", "progress", "self", "offer", "question", "request", "hedge", "asks", "momentary", "doing"))
"""Cues of talk that restates nothing: it tells what the agent does."""

_REPORTS = re.compile(
    r"(?i)^\W*(?:\w+[*_`]* )?(?:\w{2,}(?<!ne)(?<!fe)ed|made|kept|wrote|set|put) |\bnow (?:\w+s|\w+ed|\w+ing)\b|\bwill still\b"
)
"""Form of what tells what the agent did, or how it is now."""

_REASON = re.compile(r"(?i)\W*(?:it|they|that|this|these|those|otherwise|because|we|our|the reason|there)\b(?!.*\?\s*$)")
"""How a sentence begins that says why what stands before it holds."""

_DENIALS = frozenset(("not", "never", "no", "cannot", "without", "dont"))
"""Words that turn a statement: what has one of these and what has none are two."""

SAME_WORDS = 0.5
"""Share of the words of the shorter of two statements that must be common for one to be offered in place of the other."""

TOUCHED = 3
"""Files changed after what was said that still tell what it is about."""

SMALL = 0.05
"""Log-odds below which a part of the reason gets no name of its own."""

SHORTEST = 8
"""Letters of a headline that says something."""

_PATH = re.compile(
    r"(?<![\w./@:-])(?:[\w.@-]+/)*[\w.@-]+\.(?:py|jsx?|tsx?|mjs|cjs|go|rs|java|cs|cpp|hpp|rb|php|vue|svelte|"
    r"mdx?|jsonc?|toml|ya?ml|sh|ps1|css|html|sql|exs?|lock|mod|ini|cfg|csproj)(?![\w/])"
)
_FOLDER = re.compile(r"(?<![\w./@:-])(?:\.*[\w-][\w.-]*/){1,8}(?![\w*])")
_SYMBOL = re.compile(
    r"`([A-Za-z_][\w.:]{2,60})(?:\(\))?`|\b([a-z]+[A-Z]\w{2,}|[A-Z][a-z0-9]+[A-Z]\w+|[a-z0-9]+_[a-z0-9_]{2,}|"
    r"[A-Z]{2,}_[A-Z_]{2,})\b"
)
_TEMPORARY = re.compile(
    r"(?i)\b(?:for now|temporar(?:y|ily)|until (?:then|we|the|it)|currently|at the moment|today|this (?:week|"
    r"sprint)|pre-?existing|not yet)\b"
)


@dataclass(frozen=True, slots=True)
class Proposal:
    """A candidate and the turn in which its best evidence stands."""

    index: int
    candidate: Candidate


def statements(turns: Sequence[Turn], judge: Judge) -> Iterator[Proposal]:
    """What people and agents say that states a lesson."""
    for lead in selection.leads(turns, judge):
        if candidate := _candidate(turns, lead, judge):
            yield Proposal(lead.saying.speech.scene.index, candidate)


def _candidate(turns: Sequence[Turn], lead: selection.Lead, judge: Judge) -> Candidate | None:
    saying, scene = lead.saying, lead.saying.speech.scene
    sentence, sentences, place = saying.sentence, saying.speech.sentences, saying.place
    quoted = sentences[lead.quote[0]], sentences[lead.quote[-1]]
    proof = passages.gather(turns, scene.index, quoted[0].start, quoted[1].end)
    if proof is None:
        return None
    before = sentences[place - 1].text if place and sentences[place - 1].end + 3 >= sentence.start else ""
    after = sentences[place + 1].text if place + 1 < len(sentences) and sentence.end + 3 >= sentences[place + 1].start else ""
    offers = _offers(lead, before, after)
    if not offers or not _is_shown(offers[0].headline, scene.human):
        return None
    worth, parts = lead.worth, dict(judge.why(scene, sentences, place))
    if worth < saying.judgement.worth:
        parts["not the first of its turn"] = worth - saying.judgement.worth
    likely = logistic(worth)
    if likely < judge.floor:
        return None
    again = (
        passages.gather(turns, one.speech.scene.index, one.sentence.start, one.sentence.end, around=1) for one in lead.again
    )
    cues = saying.judgement.statement.cues | scene.circumstances
    around = f"{before} {sentence.text} {after}"
    return Candidate(
        category=judge.category(scene, sentences, place, lead.quote),
        headline=offers[0].headline,
        insight=offers[0].insight,
        evidence=(proof, *(one for one in again if one is not None)),
        score=likely,
        why=_visible_parts(parts),
        signal=signal_of(cues, scene.human),
        fingerprint=fingerprint(offers[0].insight),
        context=_context(sentence, before, after),
        files=files(around, turns, scene.index),
        symbols=symbols(sentence.text),
        durability=Durability.TEMPORARY if _TEMPORARY.search(sentence.text) else Durability.DURABLE,
        wordings=offers,
    )


def _offers(lead: selection.Lead, before: str, after: str) -> tuple[Wording, ...]:
    """The texts to choose from: as worded from the sentence, as it was said again elsewhere, wider.

    A person's rule comes with its reason where that is said next.
    Where a person wrote in haste and the agent restated it, the agent's words come first.
    """
    sentence, human = lead.saying.sentence, lead.saying.speech.scene.human
    found = list(wording.wordings(sentence.text, sentence.heading, before, after))
    if human and _REASON.match(after) and directives.rule(sentence.text):
        found.sort(key=lambda one: one.label != "with what follows")
    restated = _find_restatement(lead)
    if restated is not None:
        offers = wording.wordings(restated.sentence.text, restated.sentence.heading)
        first = human and wording.hasty(sentence.text)
        if offers and _is_complete(offers[0].headline) and (first or not wording.near(offers[0].headline, found[0].headline)):
            label = "the agent's words" if human else "said elsewhere"
            found.insert(0 if first else 1, offers[0]._replace(label=label))
    found.sort(key=lambda one: not _stands(one.headline))
    return wording.distinct(Wording(one.headline, one.insight, one.label) for one in found)[:3]


def _is_shown(headline: str, human: bool) -> bool:
    """Whether a headline can be judged beside its quote: it begins with nothing unnamed, and is no tale of what the agent does.

    One that speaks of "it" or "those" further on is shown with the turn before: left out, as many lessons would go as there are
    among other cards.
    """
    return len(headline) >= SHORTEST and not wording.unclear(headline) and (human or not wording.narrates(headline))


def _stands(headline: str) -> bool:
    """Whether a headline names all that its first clause speaks of."""
    return not (wording.unclear(headline) or clauses.dangles(headline))


def _is_complete(headline: str) -> bool:
    """Whether a headline is a clause or an order by itself, so that it may be offered beside another."""
    is_clause = clauses.is_independent(headline) or clauses.states(headline, is_report=False)
    is_clause = is_clause or headline.split()[0].lower() in clauses.ORDERS
    return is_clause and _stands(headline) and not clauses.hangs(headline) and not headline.endswith("…")


def _find_restatement(lead: selection.Lead) -> selection.Saying | None:
    """Where an agent says the same again as a statement, not as a plan or a report of what it did."""
    mine = content(lead.saying.sentence.text) if lead.again else frozenset()
    for one in lead.again:
        later = one.speech.scene.index > lead.saying.speech.scene.index
        theirs = content(one.sentence.text)
        same = len(mine & theirs) >= SAME_WORDS * min(len(mine), len(theirs))
        agent = not one.speech.scene.human and not one.judgement.statement.cues & _NO_STATEMENT
        if (
            same
            and later
            and agent
            and not _REPORTS.search(one.sentence.text)
            and bool(mine & _DENIALS) is bool(theirs & _DENIALS)
        ):
            return one
    return None


def _visible_parts(parts: Mapping[str, float]) -> dict[str, float]:
    """The parts that a person is shown: small ones as one, and nothing is left out of the sum."""
    shown = {part: round(worth, 3) for part, worth in parts.items() if abs(worth) >= SMALL}
    rest = round(sum(parts.values()) - sum(shown.values()), 3)
    return {**shown, "small parts": rest} if rest else shown


def _context(sentence: Sentence, before: str, after: str) -> str:
    context = " ".join(part for part in (before, sentence.text, after) if part)
    return f"{sentence.heading}: {context}" if sentence.heading else context


def files(text: str, turns: Sequence[Turn], index: int) -> tuple[str, ...]:
    """The files of which a turn's words speak: those that they name, else the few that were changed next."""
    return _files(text, turns, index) or _files_after(turns, index)


def _files(text: str, turns: Sequence[Turn], index: int) -> tuple[str, ...]:
    """The files that the words name; a bare name becomes the path that a call near by used for it."""
    places = [match[0] for match in (*_PATH.finditer(text), *_FOLDER.finditer(text))]
    if not places:
        return ()
    known = [path for turn in turns[max(0, index - 40) : index + 20] for path in turn.paths]
    root = turns[index].cwd.rstrip("/\\") + "/" if turns[index].cwd else ""
    found: list[str] = []
    for name in places[:8]:
        full = next((path for path in known if path.replace("\\", "/").endswith("/" + name)), name) if "/" not in name else name
        short = full.removeprefix(root)
        if short and short not in found:
            found.append(short)
    return tuple(found[:6])


def _files_after(turns: Sequence[Turn], index: int) -> tuple[str, ...]:
    """The few files that the agent changed after these words and before a person spoke again."""
    found: dict[str, None] = {}
    root = turns[index].cwd.rstrip("/\\") + "/" if turns[index].cwd else ""
    for turn in turns[index + 1 : index + 40]:
        if turn.role is Role.HUMAN:
            break
        if context.edits(turn) and not turn.sidechain:
            found.update((path.removeprefix(root), None) for path in turn.paths)
    return tuple(found) if len(found) <= TOUCHED else ()


def symbols(text: str) -> tuple[str, ...]:
    """The names of code in a text."""
    found = (match[1] or match[2] for match in _SYMBOL.finditer(text))
    return tuple(dict.fromkeys(name for name in found if name and not _PATH.fullmatch(name)))[:8]


def find_choices(turns: Sequence[Turn]) -> Iterator[Proposal]:
    """What a person picked when the agent asked."""
    for choice in choices.choices(turns):
        start, asked = (
            turns[choice.answer_index].text.find(choice.answer),
            turns[choice.question_index].text.find(choice.question),
        )
        proof = passages.gather(turns, choice.answer_index, start, start + len(choice.answer))
        question = passages.gather(turns, choice.question_index, asked, asked + len(choice.question))
        offers = _choice_wordings(choice)
        if proof is None or question is None or not offers:
            continue
        why = {"chosen when asked": 1.4, "base": -2.5}
        yield Proposal(
            choice.answer_index,
            Candidate(
                category=Category.DECISION,
                headline=offers[0].headline,
                insight=offers[0].insight,
                evidence=(proof, question),
                score=logistic(sum(why.values())),
                why=why,
                signal="choice",
                fingerprint=fingerprint(offers[0].insight),
                context=f"{choice.question} {choice.answer}",
                files=_files(f"{choice.question} {choice.answer}", turns, choice.answer_index),
                symbols=symbols(f"{choice.question} {choice.answer}"),
                wordings=offers,
            ),
        )


def _choice_wordings(choice: choices.Choice) -> tuple[Wording, ...]:
    topic, pick = wording.plain(choice.topic), wording.plain(choice.pick)
    question = wording.plain(choice.question)
    insight = wording.shorten(f"{topic}: {pick}", wording.INSIGHT)
    whole = f"{question} {pick}" if len(f"{question} {pick}".split()) <= wording.INSIGHT else insight
    headline = wording.shorten(f"{topic}: {pick}", wording.HEADLINE)
    answer = Wording(wording.shorten(pick, wording.HEADLINE), insight, "the answer")
    return wording.distinct((Wording(headline, whole, "worded"), answer))


def find_mendings(turns: Sequence[Turn]) -> Iterator[Proposal]:
    """Commands that failed and worked in another form."""
    for mending in commands.mendings(turns):
        start = turns[mending.call].text.find(mending.right)
        proof = passages.gather(turns, mending.call, start, start + len(mending.right))
        error_at = turns[mending.failure].text.find(mending.error)
        failure = passages.gather(turns, mending.failure, error_at, error_at + len(mending.error))
        if proof is None or failure is None:
            continue
        offers = _command_wordings(mending)
        reason = "the error names what was changed" if mending.removals else "environment error"
        why = {"failed then worked": 1.2, reason: 0.6, "base": -2.0}
        yield Proposal(
            mending.call,
            Candidate(
                category=Category.TOOLING,
                headline=offers[0].headline,
                insight=offers[0].insight,
                evidence=(proof, failure),
                score=logistic(sum(why.values())),
                why=why,
                signal="failed-then-worked",
                fingerprint=bag(f"{commands.program(mending.right)} {' '.join((*mending.additions, *mending.removals))}"),
                context=f"`{mending.wrong}` failed: {mending.error}",
                wordings=offers,
            ),
        )


def _command_wordings(mending: commands.Mending) -> tuple[Wording, ...]:
    right, wrong = mending.right, mending.wrong
    added, removed = " ".join(mending.additions), " ".join(mending.removals)
    tool = commands.program(mending.right)
    whole = f"Run `{right}`"
    brief = f"`{tool}` needs `{added}` here"
    if set(mending.removals) & commands.OPERATORS:
        brief = f"`{mending.removals[0]}` does not work in this shell"
    elif removed:
        brief = f"`{tool}` takes `{added}` here, not `{removed}`" if added else f"`{tool}` does not take `{removed}` here"
    error = wording.shorten(mending.error.replace("`", "'"), 12)
    insight = wording.shorten(f"`{right}` works where `{wrong}` fails", wording.INSIGHT)
    if mending.before:
        brief = f"Run `{right}` before `{wrong}`" if len(f"{right} {wrong}".split()) < 9 else whole
        insight = wording.shorten(f"`{wrong}` fails until `{right}` was run", wording.INSIGHT)
    longer = f"{insight}: {error}" if len(f"{insight} {error}".split()) <= wording.INSIGHT else insight
    found = [Wording(brief, longer, "worded")]
    if len(whole.split()) <= wording.HEADLINE:
        found.append(Wording(whole, longer, "the command"))
    shorter = Wording(brief, f"Run `{right}`" if len(right.split()) < wording.INSIGHT else insight, "shorter")
    return wording.distinct((*found, shorter))
