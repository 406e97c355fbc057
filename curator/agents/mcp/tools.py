"""The tools for agents: one table of tools and arguments, which gives schemas, checks and calls.

Names, order and annotations are stable, because agents and people have them in their settings. No tool confirms, changes or
retires a lesson, since only a person decides.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from curator.errors import UsageError

if TYPE_CHECKING:  # the greeting needs this table, and has no time for the nouns
    from curator.model import JSON

PATH = 1_000
"""Characters of a path at most."""
CATEGORIES = ("constraint", "decision", "bug-pattern", "failed-approach", "architecture", "convention", "tooling")
"""The names of ``curator.model.Category``."""


@dataclass(frozen=True, slots=True)
class Argument:
    """One argument. ``kind`` is str, int, bool or tuple (texts). ``most`` is its maximum length, value or number of texts.

    A call that breaks the schema is refused, so that the model calls again. A long search text is cut instead (``cut``),
    although the schema does not say so.
    """

    name: str
    kind: type
    meaning: str
    most: int = 0
    required: bool = False
    cut: bool = False
    standard: Any = None
    """The value if the argument is missing. ``None`` means the empty value of its kind."""
    among: tuple[str, ...] = ()
    """The words that a text may be, where not any will do."""

    @property
    def schema(self) -> JSON:
        """Return the JSON Schema of the argument."""
        limits: dict[type, JSON] = {
            str: {"type": "string"} | self._length,
            int: {"type": "integer", "minimum": 1, "maximum": self.most},
            bool: {"type": "boolean"},
            tuple: {"type": "array", "items": {"type": "string", "maxLength": PATH}, "maxItems": self.most},
        }
        standard = {} if self.standard is None else {"default": self.standard}
        among = {"enum": [*self.among]} if self.among else {}
        return {"description": self.meaning, **limits[self.kind], **among, **standard}

    @property
    def _length(self) -> JSON:
        return ({"minLength": 1} if self.required else {}) | ({} if self.cut or self.among else {"maxLength": self.most})

    @property
    def absent(self) -> Any:
        """Return the value for a call without the argument."""
        return self.kind() if self.standard is None else self.standard

    def parse(self, value: object) -> Any:
        """Return the value for a call. Raises ``UsageError`` with the expected form."""
        if self.kind is tuple:
            if not isinstance(value, list) or not all(isinstance(text, str) for text in value):
                raise self._not("a list of texts")
            if len(value) > self.most or any(len(text) > PATH for text in value):
                raise self._not(f"at most {self.most} texts of at most {PATH} characters")
            return tuple(clean_text(text) for text in value if text.strip())
        if self.kind is int:
            whole = int(value) if isinstance(value, float) and value.is_integer() else value
            if type(whole) is not int or not 1 <= whole <= self.most:
                raise self._not(f"a whole number from 1 to {self.most}")
            return whole
        if self.kind is bool:
            if type(value) is not bool:
                raise self._not("true or false")
            return value
        if not isinstance(value, str) or (self.required and not value.strip()):
            raise self._not(f"a text{' that is not empty' if self.required else ''}")
        if self.among and value not in self.among:
            raise self._not(f"one of {', '.join(self.among)}")
        if len(value) > self.most and not self.cut:
            raise self._not(f"at most {self.most:,} characters; it has {len(value):,}. Write one or two sentences")
        return clean_text(value[: self.most])

    def _not(self, expectation: str) -> UsageError:
        return UsageError(f"The argument {self.name} must be {expectation}.", "Call the tool again with such a value.")


_CWD = "The absolute path of your folder. Needed only if the server was started in the home folder."
CWD = Argument("cwd", str, _CWD, PATH)


@dataclass(frozen=True, slots=True)
class Tool:
    """One tool, as clients list it. Its arguments are in the order of the method of ``app.mcp.Serving``."""

    name: str
    title: str
    description: str
    arguments: tuple[Argument, ...]
    result: JSON
    """The JSON Schema of its structured result."""
    hints: JSON
    """Its annotations. The annotation that its world is closed is added for all tools."""

    @property
    def schema(self) -> JSON:
        """Return the JSON Schema of its arguments."""
        properties = {argument.name: argument.schema for argument in self.arguments}
        needed = [argument.name for argument in self.arguments if argument.required]
        return {"type": "object", "properties": properties, "required": needed, "additionalProperties": False}

    @property
    def describe(self) -> JSON:
        """Return the tool for ``tools/list``."""
        return {
            "name": self.name,
            "title": self.title,
            "description": self.description,
            "inputSchema": self.schema,
            "outputSchema": self.result,
            "annotations": {**self.hints, "openWorldHint": False},
        }

    def parse(self, arguments: Mapping[str, object] | None) -> list[Any]:
        """Return the checked arguments of a call in order. Raises ``UsageError`` if they break the schema."""
        values = arguments or {}
        known = {argument.name: argument for argument in self.arguments}
        if strange := [name for name in values if name not in known]:
            raise UsageError(
                f"{self.name} has no argument {clean_text(strange[0])[:80]!r}; it has {', '.join(known)}.",
                "Call the tool again without that argument.",
            )
        for argument in self.arguments:
            if argument.required and argument.name not in values:
                raise UsageError(
                    f"{self.name} needs the argument {argument.name}: {argument.meaning}",
                    "Call the tool again with that argument.",
                )
        return [argument.parse(values[name]) if name in values else argument.absent for name, argument in known.items()]


def clean_text(text: str) -> str:
    """Return a text that can be stored and searched, without lone surrogates and NUL.

    >>> clean_text("a\\0b\\ud800")
    'a b?'
    """
    return text.replace("\0", " ").encode("utf-8", "replace").decode("utf-8")


def _object(**properties: JSON) -> JSON:
    return {"type": "object", "properties": properties, "required": list(properties)}


READS: JSON = {"readOnlyHint": True}
WRITES: JSON = {"readOnlyHint": False, "destructiveHint": False}
SAME: JSON = {"idempotentHint": True}
TEXT: JSON = {"type": "string"}
TEXTS: JSON = {"type": "array", "items": TEXT}
LESSON = _object(id=TEXT, category=TEXT, headline=TEXT, insight=TEXT, scope=TEXT, files=TEXTS, updated=TEXT)
LIST = _object(note=TEXT, lessons={"type": "array", "items": LESSON}, left_out={"type": "integer"})
_FILES = "Files that you are about to read or change, relative to the project or absolute inside it."

TOOLS = (
    Tool(
        "search_lessons",
        "Search lessons learned",
        "Search the lessons learned in earlier sessions of this project: constraints, decisions and why they were made, past "
        "mistakes, bug patterns, failed approaches, conventions, architecture, tooling gotchas. Confirmed by a person. Use "
        "it before you work in an unfamiliar subsystem, choose an approach or a dependency, or retry after an error has come "
        "back. Returns one line a lesson with its id, best first; nothing found means that nothing is known, so go on.",
        (
            Argument("query", str, "Words, names or a question about your task or problem.", 2_000, True, cut=True),
            Argument("files", tuple, _FILES, 20),
            Argument("error", str, "The error message that you got, if any.", 4_000, cut=True),
            Argument("limit", int, "Maximum number of lessons.", 20, standard=5),
            CWD,
        ),
        LIST,
        READS | SAME,
    ),
    Tool(
        "get_lesson",
        "Read one lesson",
        "Read one lesson in full: its text, its context, the evidence it rests on (what was said in the session it comes "
        "from), the code it speaks of, and its history. Takes an id that search_lessons or lessons_for_file gave, or that was "
        "shown to you with a lesson.",
        (Argument("id", str, "The id of the lesson, such as 7K3F-Q2MD.", 40, True), CWD),
        LESSON,
        READS | SAME,
    ),
    Tool(
        "lessons_for_file",
        "Lessons about a file",
        "The lessons learned about one file: past mistakes, constraints and decisions that concern this code or the folder it "
        "lies in. Ask before you edit, refactor, move or delete a file that matters.",
        (Argument("path", str, "The file, relative to the project or absolute inside it.", PATH, True), CWD),
        LIST,
        READS,
    ),
    Tool(
        "save_lesson",
        "Propose a lesson",
        "Remember something for future sessions: propose a lesson learned, such as a correction by the person you work for, a "
        "constraint or gotcha that was hard to find, a decision and its reason, an approach that failed. It waits in the "
        "person's inbox and is shown to no agent until they confirm it. One statement that stands alone and will still hold "
        "next month; no progress notes, no secrets. Saying the same twice does no harm.",
        (
            Argument("text", str, "The lesson: one or two sentences that make sense without this session.", 1_000, True),
            Argument("when", str, "When it applies: the task, code or situation in which somebody needs it.", 500, True),
            Argument("files", tuple, "Files that it is about, relative to the project or absolute inside it.", 20),
            Argument("evidence", str, "The evidence, word for word: what the user said, the error, the output.", 4_000),
            CWD,
            Argument(
                "category",
                str,
                "What sort: a constraint (what limits you here), decision (a choice to respect), bug-pattern (a root cause "
                "to recognise), failed-approach, architecture (where things belong), convention (how things are done here), "
                "tooling (how to build, run, test).",
                20,
                standard="convention",
                among=CATEGORIES,
            ),
        ),
        _object(id=TEXT, state=TEXT, message=TEXT),
        WRITES | SAME,
    ),
    Tool(
        "report_outcome",
        "Report whether a lesson helped",
        "Say whether a lesson that you were given helped you: true if it saved you from a mistake or a detour, false if it was "
        "wrong, outdated or in the way. This ranks lessons for later sessions and tells the person what to review; it changes "
        "no lesson.",
        (
            Argument("id", str, "The id of the lesson, such as 7K3F-Q2MD.", 40, True),
            Argument("helped", bool, "True if it helped.", required=True),
            Argument("note", str, "Why, in a sentence.", 500),
            CWD,
        ),
        _object(id=TEXT, recorded={"type": "boolean"}, message=TEXT),
        WRITES,
    ),
)
BY_NAME = {tool.name: tool for tool in TOOLS}

MAX_TOP_LESSONS = 10
"""Lessons in the prompt ``review_lessons``."""
PROMPTS: dict[str, tuple[str, str]] = {
    "review_lessons": ("Review lessons", "Review the project's lessons with the user and find those that are no longer true."),
    "review_session": ("Review this session", "Name the few lessons of this session that are worth keeping, and save them."),
}
"""The prompts that a client offers as commands: a title and a description by name."""
LISTS: dict[str, JSON] = {
    "tools/list": {"tools": [tool.describe for tool in TOOLS]},
    "prompts/list": {
        "prompts": [{"name": name, "title": title, "description": text} for name, (title, text) in PROMPTS.items()]
    },
}
"""The answers to a client's first questions. They never change while a server runs."""
TEXT_ALONE = frozenset({"copilot-cli", "@cline/core", "qwen-cli-mcp-client-curator"})
"""Clients that give their model both text and structure, by name: the command lines of Copilot (1.0), Cline (3.0) and Qwen Code
(0.24). They get the text only.
"""
UNSTRUCTURED = LISTS | {
    "tools/list": {"tools": [{key: it for key, it in tool.describe.items() if key != "outputSchema"} for tool in TOOLS]}
}
"""The same answers without schemas of results, which would promise a structure."""


def lists(client: str) -> dict[str, JSON]:
    """Return the list of tools for a client of this name."""
    return UNSTRUCTURED if client in TEXT_ALONE else LISTS
