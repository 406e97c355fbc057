"""The question at one moment of a session: prompt, files, project."""

from __future__ import annotations

from curator.text.words import path_terms, terms

START, PROMPT, FILE = "start", "prompt", "file"
"""The moments: a session begins, a person has spoken, a tool is about to touch a file or has touched it."""
MAX_PROMPT_CHARACTERS = 6_000
"""The characters of a prompt that are read, from both its ends: pasted text stands in the middle."""
MOST_TERMS = 48
"""The number of different words of a prompt that are looked for, and of the paths' words."""
MOST_FILES = 8


class Question:
    """One question: the moment, what was said, the files at hand (relative to the project's folder, with slashes).

    ``prompt_terms`` and ``paths`` are its terms.
    """

    __slots__ = ("files", "moment", "paths", "prompt", "prompt_terms", "task")

    def __init__(self, moment: str, prompt: str = "", files: tuple[str, ...] = (), task: str = "") -> None:
        self.moment = moment
        self.prompt = (
            prompt
            if len(prompt) <= MAX_PROMPT_CHARACTERS
            else f"{prompt[: MAX_PROMPT_CHARACTERS // 2]} {prompt[-MAX_PROMPT_CHARACTERS // 2 :]}"
        )
        self.files = tuple(files)[:MOST_FILES]
        self.task = task
        self.prompt_terms = list(dict.fromkeys(terms(self.prompt)))[:MOST_TERMS]
        self.paths = list(dict.fromkeys(term for file in self.files for term in path_terms(file)))[:MOST_TERMS]

    @property
    def places(self) -> list[str]:
        """The files at hand and every folder above them, as lessons' places are indexed."""
        found: dict[str, None] = {}
        for file in self.files:
            parts = file.split("/")
            for end in range(len(parts), 0, -1):
                found["/".join(parts[:end])] = None
        return list(found)
