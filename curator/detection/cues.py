"""Signs of a single sentence: named cues, found by phrases and by its form, and whether it has the form of a rule.

A cue is a name and its phrases. ``{a,b}`` in a phrase means either one, ``{a,}`` means a or nothing. One pass over a sentence
looks up all phrases by their first two words. A hundred cues therefore cost little more than one.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise, product

from curator.detection import sentences
from curator.detection.sentences import Sentence, TextSpan, words_of
from curator.text.words import word_set

PHRASES: dict[str, str] = {
    # --- rules and wishes, mostly of people
    "always": ("always; never; every time; at all times; under no circumstances; {must,should,shall,do,may} {not,never} "
        "ever; only ever; no exceptions; immer; niemals; toujours; jamais; siempre; nunca"),
    "must": ("must; must not; mustn't; has to; have to; needs to; need to be; required to; shall; is required; are "
        "required; mandatory"),
    "should": "should; should be; should not; shouldn't; should only; supposed to; ought to; is expected; are expected",
    "dont": ("don't; do not; dont; not to; stop {using,doing,adding}; avoid; without {adding,using,changing}; no need; "
        "not necessary; refrain"),
    "from now on": ("from now on; going forward; in {the,} future; next time; for future; whenever; remember {that,to}; keep "
        "in mind; every {new,time,test,change,file,commit}; each {new,time,test,change,file,commit}; as a rule; "
        "in general; by default; by convention; default to; as usual"),
    "prefer": ("prefer; prefers; preferred; preferably; i'd rather; i would rather; i like; i'd like; i {don't,do not} "
        "like; i want; i {don't,do not} want; we want; we {don't,do not} want; want to {keep,avoid,have}; i need; "
        "would be better; is better; better to; favour; favor; it's important; is important; most important; i "
        "hate; i typically; i usually; we typically; we usually"),
    "we use": ("we use; we {don't,do not} use; we {don't,do not}; we only; we never; we always; we have; we already; "
        "we're using; we are using; i use; i no longer use; we no longer; no longer; we need; we support; we "
        "{don't,do not} support; we still; our; we adopt; we follow"),
    "instead": ("instead; instead of; rather than; not the; and not; but not; over the; in favour of; in favor of; as "
        "opposed to"),
    "only": "only; exclusively; just the; solely; nothing but",
    "decide": ("let's {go,use,keep,not,do,make,stick,have,call,drop,remove,skip,leave}; lets "
        "{go,use,keep,not,do,make,stick,have,drop,remove}; go with; going with; decided; decision; we'll use; we "
        "will use; we'll keep; we will keep; stick with; we should; we are going to; we're going to; i think we; "
        "i decided; chose; chosen; the choice; opted; settled on; agreed; sounds good but; keep the; keep it; out "
        "of scope; not worth; leave it; leave {the,them}; deferred; deliberately; intentionally; on purpose; by "
        "design; is intended; are intended; intentional; deliberate"),
    "correct": ("actually; no {i,it,that,this,the,we,you,not,don't}; nope; that's {not,wrong}; that is {not,wrong}; this "
        "is {not,wrong}; this isn't; that isn't; it's not; not what; wrong; incorrect; you're "
        "{missing,wrong,still,not}; you are {missing,wrong,still,not}; you "
        "{should,shouldn't,need,forgot,missed,broke,removed,deleted}; i said; i told; i meant; i asked; i didn't; "
        "please {don't,stop}; wait; hmm; hm; mmm; huh; really; unfortunately; but {i,it,we,that,this,the,all,is}; "
        "however; again; still not; not necessary; unnecessary; that doesn't; this doesn't"),
    "why question": ("why {would,are,is,did,not,aren't,isn't,do,don't,can't,does,was,have,make,change,can}; shouldn't "
        "{we,it,this,that,the}; {couldn't,could} we; can't we; isn't {it,this,that,there}; aren't {we,you}; is it "
        "not; do we {really,need}; does it need"),
    "because": ("because; since; so that; as {it,we,they,this,the}; otherwise; due to; given that; that way; to avoid; to "
        "prevent; in order to; so {we,it,the,that,they,i,you}; which {means,is}"),
    "request": ("can you; could you; please; would you; will you; i want you; help me; tell me; show me; give me; let me "
        "know; explain; what is; what are; how do; how can; how to; where is; is there; are there; what about; "
        "check if; check whether; take a look; look at"),
    # --- causes, mostly concluded by agents
    "root cause": ("root cause; real cause; actual cause; underlying cause; true cause; "
        "{real,actual,core,underlying,main,key,root} {issue,problem,bug,reason,culprit,hole,fix}; the culprit; "
        "turns out; turned out; explains; root of; the bug is; the bug was; 根本原因; 原因是"),
    "issue is": ("the {issue,problem,error,failure,trouble,catch,bug,cause,reason} "
        "{is,was,comes,arises,occurs,here,happens,lies}; that's {why,what,because}; this is {why,because}; that "
        "is why; which is why; is why; the reason; the cause; caused by; is because; was because; happens because;"
        " fails because; failed because; stems from; comes from; leads to; which "
        "{causes,caused,breaks,made,makes,leads,overwrote}; results in; 问题是; 问题在于; 是因为; 因为"),
    "doesnt": ("doesn't; does not; don't {support,expose,have,exist,work,inherit,allow,respect,include,run,trigger}; do "
        "not {support,expose,have,exist,work,inherit,allow,respect,include,run,trigger}; isn't; is not; aren't; "
        "are not; didn't; did not; wasn't; was not; won't; will not; has no; have no; there is no; there's no; "
        "there are no; no longer; lacks; missing; without; ignores; ignored; skips; skipped; never; not "
        "{available,supported,allowed,installed,part,found,possible,set,respected,included}; 不支持; 没有; 不会; 不能"),
    "cant": ("can't; cannot; can not; couldn't; could not; unable to; impossible; no way to; not possible; not "
        "supported; unsupported; not allowed; forbidden; prevents; blocked; refuses; rejects; rejected; disallow; "
        "disallows"),
    "requires": ("requires; require; needs; depends on; must be; must have; expects; relies on; only "
        "{works,supports,accepts,applies,runs,used,when,if,the,for,in,on,honored,covers,matches,checks,reads}; "
        "unless; as long as; is needed; prerequisite; 需要; 必须"),
    "breaks": ("breaks; broke; fails; failed; crash; crashes; crashed; corrupts; corrupted; overwrites; overwrote; "
        "overwritten; overrides; clobbers; clobbered; leaks; hangs; wedges; deadlock; deadlocks; race; silently; "
        "loses; lost; swallowed; swallows; stale; mangled; bypasses; bypassing; drops; rejects; mismatch; "
        "conflict; conflicts; shadowed; throws; truncated; duplicates; blocks"),
    "failed approach": ("didn't work; doesn't work; did not work; does not work; won't work; wouldn't work; not work; "
        "not going "
        "to work; dead end; abandoned; abandon; gave up; reverted; revert; rolled back; backed out; tried; that "
        "alternative; is out; bad idea; not viable; not feasible; wouldn't help; doesn't help; not enough; "
        "insufficient; ruled out; had no effect; made it worse; unreliable"),
    "discovery": ("turns out; it appears; i found; found that; confirmed; key finding; note that; gotcha; caveat; important;"
        " importantly; interesting; interestingly; notably; worth noting; quirk; workaround; actually; in fact; "
        "it looks like; now i see; i see; this confirms; that confirms; verified; known issue; pre-existing; "
        "preexisting; harmless; expected"),
    "concede": ("you're {absolutely,right,correct,completely}; you are {absolutely,right,correct,completely}; good "
        "{point,catch,call}; great {point,catch}; my mistake; i was wrong; i apologize; i apologise; fair point; "
        "agreed; i misunderstood; i misread; i should have; i missed; exactly right; thanks for clarifying"),
    "so": "so; therefore; thus; hence; which means; that means; this means; meaning; consequently",
    "design": ("single source of truth; responsible for; responsibility; lives in; live in; belongs in; belong in; "
        "stored in; stored at; delegates; wraps; is called by; called from; flows; derived from; is derived; "
        "handled by; handled in; goes through; resolved; resolves; resolve; source of; fallback; falls back; fall "
        "back; takes precedence; precedence; priority; prioritizes; order is; registered; happens in; runs before;"
        " runs after; at {startup,runtime,build,write,compile} {time,}; shared by; entry point; the only; owned "
        "by; keyed by; is computed; generated by; generated from; is generated; read from; reads from; writes to; "
        "written to; intended; reference data; namespace; contract; canonical"),
    "environment": ("locally; windows; macos; linux; wsl; powershell; docker; sandbox; sandboxed; node; python; npm; pnpm; "
        "yarn; bun; go; cargo; version; env var; environment variable; environment variables; environment; path; "
        "toolchain; cli; shell; terminal; ci; github actions; workflow; workflows; cache; linter; lint; eslint; "
        "config; flag; port; proxy; token; hook; hooks; build; test; tests"),
    "how to": ("use; run; rebuild; install; set; pass; export; instead use; you need to; make sure; ensure; be sure; "
        "call; rerun; delete; add"),
    # --- talk that is no lesson
    "plan": ("let me; i'll; i will; i'm going to; i am going to; i'm "
        "{now,checking,adding,running,updating,using,keeping,making,switching,looking,considering,reading,going,treating,moving,rerunning,verifying,preparing,also,writing,pulling,taking,doing};"
        " now i; next i; next; i need to; i should; i can; let's "
        "{check,see,fix,look,start,create,update,add,run,verify,first,try,begin,proceed,continue,now,test,implement};"
        " going to; now let's; first; then i; i plan; i want to; i'd; i would; we can now; the next step; next "
        "step; next steps; todo; 让我; 我将; 我会; 接下来"),
    "self": ("i'm; i was; i made; i reverted; i tried; i checked; i ran; i used; i kept; i have not; i haven't; i "
        "didn't; i don't; i'm not; i've; my {change,changes,fix,edit,edits,revert,commit,patch,branch}"),
    "unsure": (
        "i {don't,do not} {know,understand,see,remember,recall}; i can't {remember,find,see,tell}; i cannot {find,see,tell}; "
        "i no longer recall; i forget; i forgot; i'm {wondering,curious,confused,unsure}; i am "
            "{wondering,curious,confused,unsure}; "
        "i wonder; any reason; not sure; no idea; i guess; possibly"
    ),
    "symptom": (
        "not working; isn't working; stop working; stopped working; stops working; doesn't work; does not work; didn't work; "
        "still {not,get,getting,see,seeing,shows,showing,the,have,broken,failing,fails}; never "
            "{seems,appears,appear,shows}; i get; i got; "
        "i'm getting; i see; i keep; is broken; nothing happens; now it's; now i'm; the "
            "{error,console,log,logs,output} {says,shows,is}; "
        "this error; the following error; an error; an issue"
    ),
    "momentary": (
        "commits {behind,ahead}; commit {behind,ahead}; ahead of; working tree; worktree; local main; origin main;"
            " staged; unstaged; "
        "untracked; checkout; {failed,current,this,last,latest,previous} {run,commit,push,build,checkout}; hasn't "
            "been {pushed,merged}; "
        "not yet; just {merged,pushed,ran}; my {change,changes,edit,edits}; this change; these changes; the "
            "change; the changes; "
        "was {successful,clean}; pushed; merged; landed; {still,currently} {has,uses,shows,contains,teaches,runs}"
    ),
    "asks": ("do you {think,have,know,want,believe,see}; does it; does this; should i; should we; shall we; can i; can "
        "we; could we; could i; do i; do we; have you; did you; are you; is this; is it; is that; what if; any "
        "idea; i need to {get,run,know,understand}; {tell,show} me; i wonder"),
    "progress": ("done; completed; complete; created; updated; added; implemented; fixed; i've; i have; i added; i fixed; "
        "i updated; i changed; i removed; i created; i also; passes; passed; pass; all tests; tests pass; "
        "successfully; success; now {works,work,has,uses,handles,supports,shows}; should now; is now; are now; "
        "has been; have been; was {added,updated,removed,created,fixed}; were "
        "{added,updated,removed,created,fixed}; finished; ready; committed; pushed; merged; running; 已; 完成; 成功"),
    "hedge": ("might; maybe; perhaps; likely; probably; seems; seem; could be; may be; may; appears to; possibly; i "
        "suspect; i think; i believe; i assume; should work; hopefully; presumably; if you; it looks like; looks "
        "like; suspicious; not sure; unclear; could; 可能"),
    "offer": ("would you like; want me to; shall i; let me know; if you'd like; if you want; do you want; should i; i "
        "recommend; i'd recommend; recommended; recommend; suggest; suggestion; you could; you can; you may; you "
        "should; consider; options; option; alternatively; here's; here is; here are; 建议"),
    "praise": ("ensures; improves; improve; improved; better; clean; cleaner; robust; maintainable; maintainability; "
        "comprehensive; seamless; scalable; proper; properly; easier; consistent; consistency; user experience; "
        "enhanced; modern; professional; benefits; perfect; excellent; great; flexible; reliable; reusable; "
        "provides; allows; enables; supports; includes"),
    "loaded": ("claude md; agents md; gemini md; copilot instructions; cursor rules; cursorrules; per your; your "
        "{rules,instructions,guidelines}; the {guidelines,instructions,directives}; system prompt; curator lessons"),
    "local": ("this {pr,diff,commit,branch,session,change,file,line,test,function,task}; the {pr,diff,commit,branch}; "
        "above; below; line; lines; staged; unstaged; this time; for now; currently; at the moment; today; "
        "tomorrow; already; pr; review; story; phase; step; summary; checklist; item; task; still"),
}  # fmt: skip

_CJK = re.compile(r"[\u3400-\u9fff]")
_CODE = re.compile(r"`[^`\n]{1,120}`")
_REPROACH = re.compile(
    r"(?i)\W*(?:(?:but|and|so|also|hm+|no|wait|ok),? )?(?:why (?!did|is|was|not\b)|(?:should|is|are|can|do|"
    r"does|would|could|wo)n'?t |is it not )"
)

_IMPERATIVES = word_set(
    "add fix create write update implement run check make review look show remove delete change rename move "
    "install commit push merge explain refactor test "
    "read find continue proceed generate build put set start help give list open deploy verify analyze "
    "investigate find draft convert replace include integrate"
)
_PRONOUNS = word_set("this that it these those they he she")


def _phrases(pattern: str) -> Iterator[tuple[str, ...]]:
    parts = re.split(r"\{([^}]*)\}", pattern)
    choices = [part.split(",") if n % 2 else [part] for n, part in enumerate(parts)]
    for chosen in product(*choices):
        if words := tuple(words_of("".join(chosen))):
            yield words


def _tables() -> tuple[dict[str, set[str]], dict[tuple[str, ...], list[tuple[str, str]]]]:
    """Return the cues by single word, and longer phrases, between blanks, with their cue by the first two words."""
    single: dict[str, set[str]] = defaultdict(set)
    longer: dict[tuple[str, ...], list[tuple[str, str]]] = defaultdict(list)
    for cue, patterns in PHRASES.items():
        for pattern in patterns.split(";"):
            for phrase in _phrases(pattern.strip()):
                if len(phrase) > 1:
                    longer[phrase[:2]].append((f" {' '.join(phrase)} ", cue))
                elif not _CJK.match(phrase[0]):
                    single[phrase[0]].add(cue)
    return dict(single), dict(longer)


_SINGLE, _LONGER = _tables()
_HAN = [(words.strip(), cue) for cue, patterns in PHRASES.items() for words in patterns.split(";") if _CJK.match(words.strip())]


def cues(sentence: Sentence, parts: Sequence[TextSpan] | None = None) -> set[str]:
    """Return the names of the sentence's cues, from its words and its form. Pass its ``parts`` if you already have them."""
    parts = sentences.of(sentence.text) if parts is None else parts
    words = sentences.words(parts)
    found = _phrase_cues(sentence.text, words)
    found.update(_form(sentence, words, len(sentence.text) // 3 if _foreign(sentence.text) else len(words)))
    found.update(_name_cues(sentence.text, sentences.names(parts)))
    found.update(sentences.marks(parts))
    return found


def _foreign(text: str) -> bool:
    return not text.isascii() and bool(_CJK.search(text))


def _phrase_cues(text: str, words: list[str]) -> set[str]:
    found: set[str] = set()
    for word in _SINGLE.keys() & words:
        found |= _SINGLE[word]
    joined = f" {' '.join(words)} "
    for two in _LONGER.keys() & pairwise(words):
        found.update([cue for phrase, cue in _LONGER[two] if phrase in joined])
    if _foreign(text):
        found.update(cue for phrase, cue in _HAN if phrase in text)
    return found


def _form(sentence: Sentence, words: list[str], length: int) -> Iterable[str]:
    text = sentence.text
    if length < 5:
        yield "very short"
    elif length < 9:
        yield "short"
    elif length > 45:
        yield "long"
    elif length > 16:
        yield "full"
    first = words[0] if words else ""
    if text.rstrip("*_ \"'").endswith(("?", "？")):
        yield "question" if not _REPROACH.match(text) else "reproach"
    if text.endswith((":", "：")):
        yield "lead-in"
    if first in _IMPERATIVES:
        yield "imperative"
    if first.endswith("ing") and len(first) > 5:
        yield "doing"
    if first in _PRONOUNS:
        yield "pronoun first"
    if sentence.item:
        yield "item"
    if "**" in text[:6]:
        yield "bold"
    if " — " in text or " – " in text or "; " in text or " -> " in text or "→" in text:
        yield "dash"


def _name_cues(text: str, names: int) -> Iterable[str]:
    code = len(_CODE.findall(text)) if "`" in text else 0
    if code:
        yield "code"
    if code > 1 or names > 1:
        yield "names"
    elif names or code:
        yield "name"


PEOPLE: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("refusal", ("refusal",)),
    ("interruption", ("interrupted",)),
    ("steering", ("queued",)),
    ("answer", ("answer",)),
    ("standing-rule", ("always", "from now on", "must", "prefer", "dont", "we use", "should")),
    ("correction", ("correct", "why question", "instead")),
    ("decision", ("decide", "only")),
    ("cause", ("root cause", "issue is", "because")),
)
AGENTS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("root-cause", ("root cause", "issue is")),
    ("failed-approach", ("failed approach",)),
    ("agreement", ("concede",)),
    ("decision", ("decide",)),
    ("limit", ("cant", "requires", "only")),
    ("breakage", ("breaks", "doesnt")),
    ("rule", ("always", "must", "dont", "instead", "should", "from now on")),
    ("design", ("design",)),
)


def signal_of(found: Iterable[str], human: bool) -> str:
    """Return the signal of a statement: the first in the table with one of its cues."""
    raised = set(found)
    names = (name for name, cues in (PEOPLE if human else AGENTS) if raised.intersection(cues))
    return next(names, "remark" if human else "finding")


MAX_RULE_CHARACTERS = 240
"""Characters of a sentence that can be one rule."""

_PASSING = re.compile(
    r"(?i)\b(?:yet|today|tomorrow|tonight|later|until|for now|(?<!from )now|(?:this|that) (?:time|one|once|export|branch)|"
    r"the last (?:time|one)|i'll|i will|i want to|at the moment|currently|anymore|so far|lines? \d+|as it is|the rest)\b|[?:]$"
)
"""Words about one hour, and questions: no rule has them."""

_THING = r"(?!(?:it|its|it's|that|this|them|these|those|me|you|so|any|anything|nothing|one|my|your|the)\b)\S+"
_DEED = (
    r"(?!(?:the|a|be|been|do|does|have|had|worry|stop|forget|mind|know|think|need|bother|want|wait|see|seen|get|got|go|care|"
    r"feel|like|work|start|continue|proceed|good|great|nice|said|say|heard|thought|tried|made|found|saw|finish\w*|\w+ed)\b)"
    r"[a-z]{2,}"
)
_DUTY = r"(?:run|use|call|update|regenerate|rebuild|bump|lint|format|rebase|review|document|add|test|write|check)"
_NAMED = r"(?!(?:this|it|that|these|those|they|the|we|you|i|there|he|she|what|things)\b)(?:[\w.`/-]+ ){1,3}"
_HANDLED = (
    r"(?:written|kept|stored|named|formatted|generated|declared|defined|documented|handled|reviewed|signed|prefixed|imported|"
    r"built|released|deployed|tagged|versioned|wrapped|translated|tested|configured|managed|sorted|logged|loaded)"
)
_WHEN = r"(?:when|whenever|before|after|every time)"
_OPENING = r"(?i)(?:^|[,;:.!—] |\band )(?:(?:please|no|actually|also|and|but|so|note|we|you|just|make sure(?: to)?)[,:]? )*"
_NEVER = r"(?:never|always|(?:must|should) (?:not|never|always)|mustn't|shouldn't)"
_REASON = r"(?:[,;—] (?:it|they|we|other)| for| from| in| on)\b"
_USE = r"(?:use|prefer|keep|put|write) (?!an? )(?:the )?"
_MUST = r"(?:must|may|can never|needs?|has to|have to|should always|should only)"
_RULES = tuple(
    re.compile(_OPENING + form)
    for form in (
        rf"{_NEVER} (?:ever |directly )?{_DEED} (?:the )?{_THING}",
        rf"(?:do not|don'?t|only) (?:ever )?{_DEED} (?:{_THING}|the [^,;]+{_REASON})",
        rf"(?:stop \w+ing|avoid|no more) (?:any\b|{_THING})",
        rf"{_USE}{_THING} (?:[^,;]+ )?(?:instead of|rather than|over|free of) {_THING}",
        rf"{_USE}{_THING}(?: [^,;]+)?, not {_THING}",
        rf"we (?:use|support|keep|pin|target) {_THING}(?: (?:in|for|to) [^,;.]+)?(?:$|[.,;!])",
        rf"(?:all|every|each|no|only) (?:[\w.`/-]+ ){{1,3}}{_MUST} {_THING}",
        rf"{_NAMED}(?:must|have to) (?:not )?[a-z]",
        rf"{_NAMED}(?:always |never )?(?:belongs?|lives?|goes?) (?:in|into|under|inside|to)\b",
        rf"{_NAMED}(?:is|are) (?:always |only )?{_HANDLED} (?:in|with|by|under|through|as|to|from|on|at)\b",
        r"no [\w`-]+(?: [\w`-]+)?(?<![su])s (?:in|outside|without|inside|within) \S+",
        rf"{_DUTY} \S[^,;.]*? {_WHEN} (?:(?:you|we) {_DEED}(?:$|[.,]| {_THING})|every|each|\w+ing)\b",
        rf"{_WHEN} (?:(?:you|we) {_DEED}|\w+ing) [^,;.]+, (?:please |also |always )*{_DUTY} {_THING}",
        r"[^,;.]+ here,? (?:we )?use \S+",
        r"(?:from now on|going forward|as a rule|at all times|under no circumstances),? \S+ \S+",
        r"(?:niemals|immer|toujours|siempre|nunca) \S+ \S+",
    )
)


def is_rule(text: str) -> bool:
    """Return whether a person's sentence has the form of a rule that is true beyond the hour.

    >>> is_rule("Never edit the generated client by hand"), is_rule("don't touch that yet"), is_rule("it never finishes")
    (True, False, False)
    """
    text = text.replace("’", "'").replace("*", "").strip()
    return len(text) <= MAX_RULE_CHARACTERS and not _PASSING.search(text) and any(form.search(text) for form in _RULES)
