"""Settings and paths: the only module that knows where curator keeps its data.

Read from ``settings.toml`` in the home folder, then from ``CURATOR_*`` environment variables, which win.
"""

# Annotations are not postponed here either: see ``curator.model``.
import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from curator.errors import CuratorError
from curator.io import files

DAY_SECONDS = 86_400.0
NO_READER = "none"
"""The reader of a person who wants none, and no offer of one."""
MEMORIES = ("off", "read", "ask", "apply")
NOTE_AGENTS = ("claude-code", "codex", "gemini", "goose", "qwen", "serena", "vscode-copilot")
"""The agents whose notes curator reads."""
MAX_NUMBER = 1_000_000
"""The largest number that a setting may have."""


class Settings(NamedTuple):
    """All settings. The docstring of each field is its line in ``docs/settings.md``."""

    home: Path
    """Folder of the database, log and cache. Set it with `CURATOR_HOME` (default: the data folder of your system)."""

    per_session: int = 8
    """Maximum number of cards that a session shows. curator shows 60 % of a session's cards, but at least three. Press `+` to
    see the others. 0 shows all."""

    since_days: int = 30
    """Number of days that a first scan reads. `curator scan --since all` reads everything."""

    exclude: tuple[str, ...] = ()
    """Projects that curator never reads, as folders or patterns such as `~/private/*`."""

    expire_days: int = 30
    """Number of days after which a candidate expires. `curator reopen` brings it back. 0 means never. If you are away for
    longer than a week, only seven days count."""

    fade_days: int = 14
    """Number of days after which an untouched temporary lesson appears in `curator cleanup`. 0 means never."""

    review_days: int = 180
    """Number of days after which any other untouched lesson appears in `curator cleanup`. 0 means never."""

    max_lessons: int = 50
    """Number of lessons of a project above which `curator cleanup` offers to retire those that helped and
    were sent least. 0 means
    no limit."""

    snooze_hours: int = 24
    """Number of hours that `z` hides a card."""

    theme: str = ""
    """Name of the colour theme. Empty means the default."""

    ascii: bool = False
    """Draw with ASCII characters only. This is also on if the locale is not UTF-8."""

    mouse: bool = True
    """React to clicks and the wheel. Off leaves text selection to the terminal."""

    preview: bool = True
    """Show the card next to the list at the start."""

    keys: Mapping[str, str] = {}
    """Keys for actions, as a table: `[keys]` and below it `scope = "t"`. `curator keys --toml` prints all actions."""

    watch: bool = True
    """Read transcripts while the inbox is open."""

    hook_scan: bool = True
    """Read transcripts in a separate process when an agent stops."""

    export: bool = True
    """Write lessons to `.curator/lessons/` in their project."""

    memories: str = "ask"
    """`read`: curator makes cards of the notes that agents keep for themselves. `apply`: it also deletes or rewords a note that
    you drop or edit. `ask`: before it changes the first note, curator asks whether you want `apply`. `off`: it does not read
    notes for the inbox."""

    memories_of: Mapping[str, str] = {}
    """Other values of `memories` for single agents, as a table: `[memories_of]` and below it `claude-code = "read"`. The other
    names are `codex`, `gemini`, `goose`, `qwen`, `serena` and `vscode-copilot`."""

    distiller: str = ""
    """The model that reads sessions: an agent's own (`claude`, `codex`, `gemini`, `qwen`, `opencode`, `copilot`, `cursor`,
    `goose`), `own` (each session by the command of the agent that wrote it), `endpoint`, `anthropic`, `command`, or the name
    of a plugin's reader. `none` means no model; empty means that you have not chosen yet. `CURATOR_READER` sets this too. See
    [read by a model](model.md)."""

    distill_others: bool = False
    """With `own`: let the first agent that is installed also read the sessions of agents without a command."""

    distill_when: str = "ask"
    """When the inbox sends sessions to your model: `ask` (you press a key), `end` (also ten minutes after the last line,
    once you have agreed to the model) or `never`."""

    distill_model: str = ""
    """Name of the model for the agent or the endpoint. Empty means a cheap one. `own` ignores it."""

    distill_command: tuple[str, ...] = ()
    """Program and arguments of the reader `command`. It runs without a shell."""

    distill_url: str = ""
    """Address of the reader `endpoint`, such as `http://127.0.0.1:11434/v1`. Outside this machine it must be https."""

    distill_key_variable: str = ""
    """Name of the environment variable that holds the endpoint's key. curator never stores the key."""

    distill_price: float = 0.0
    """Price of a million tokens, in any currency. Use the more expensive direction. 0 means unknown or free."""

    distill_tokens_a_day: int = 200_000
    """Maximum number of tokens within 24 hours."""

    distill_context: int = 0
    """Number of tokens in your model's window, for a prompt and its answer. curator sends longer sessions in parts that fit. 0
    means unknown."""

    distill_choose: bool = False
    """Whether your model only chooses among curator's candidates and words nothing. `curator doctor --ask` says if it needs
    this."""

    distill_seconds: int = 120
    """Maximum number of seconds for one answer."""

    hub_evidence: bool = False
    """Whether quotes go to the hub with a lesson that you share. See [the hub](hub.md)."""

    def memories_for(self, agent: str) -> str:
        """Return the value of `memories` for an agent."""
        return self.memories_of.get(agent, self.memories)

    @property
    def reads_memories(self) -> bool:
        """Return whether curator makes cards of the notes of any agent."""
        return {self.memories, *self.memories_of.values()} != {"off"}

    @property
    def has_reader(self) -> bool:
        """Return whether a model reads sessions."""
        return self.distiller not in ("", NO_READER)

    @property
    def database(self) -> Path:
        """Return the path of the SQLite file."""
        return self.home / "curator.db"

    @property
    def log(self) -> Path:
        """Return the path of the rotating log."""
        return self.home / "curator.log"

    @property
    def spool(self) -> Path:
        """Return the folder for hooks' receipts."""
        return self.home / "spool"

    @property
    def file(self) -> Path:
        """Return the path of ``settings.toml``."""
        return self.home / "settings.toml"

    @property
    def cache(self) -> Path:
        """Return the cache folder. It can be deleted at any time."""
        return self.home / "cache"

    @property
    def exports(self) -> Path:
        """Return the folder for lessons of projects that are not on this machine."""
        return self.home / "exports"


def default_home(env: Mapping[str, str]) -> Path:
    """Return ``CURATOR_HOME``, or the data folder of the system."""
    if env.get("CURATOR_HOME"):
        try:
            return Path(env["CURATOR_HOME"]).expanduser().absolute()
        except (OSError, RuntimeError) as error:
            raise CuratorError(
                f"CURATOR_HOME is {env['CURATOR_HOME']!r}, which is not a folder: {error}", "Give the whole path of a folder."
            ) from error
    import platformdirs  # unnecessary if `CURATOR_HOME` is set

    return Path(platformdirs.user_data_dir("curator", appauthor=False))


def load(env: Mapping[str, str] = os.environ) -> Settings:
    """Return the settings from the file and the environment.

    Raises ``CuratorError`` with the file, the key and the right form.
    """
    settings = Settings(home=default_home(env))
    if "CURATOR_READER" in env:
        env = {**env, "CURATOR_DISTILLER": env["CURATOR_READER"]}
    try:
        data = _read(settings.file)
    except (OSError, ValueError, RecursionError) as error:
        raise CuratorError(
            f"{settings.file}: {error}", "Fix or move the file. Without it, curator uses its defaults."
        ) from error
    kinds = {name: type(value) for name, value in settings._asdict().items() if name != "home"}
    for key in data.keys() - kinds.keys():
        raise CuratorError(f"{settings.file}: there is no setting {key!r}", f"Use one of {', '.join(kinds)}.")
    values = {key: _check_type(data[key], kind, f"{settings.file}: {key}") for key, kind in kinds.items() if key in data}
    for key, kind in kinds.items():
        if kind is dict:
            continue
        name = f"CURATOR_{key.upper()}"
        if name in env:
            values[key] = _check_type(_from_text(env[name], kind), kind, name)
    settings = settings._replace(**values)
    _check_memories(settings)
    return settings


def _check_memories(settings: Settings) -> None:
    """Raise ``CuratorError`` for an invalid word, because a mistake here could let curator delete notes."""
    for agent in settings.memories_of.keys() - set(NOTE_AGENTS):
        said = f"{settings.file}: memories_of: there is no agent {agent!r}"
        raise CuratorError(said, f"Use one of {', '.join(NOTE_AGENTS)}.")
    for value in {settings.memories, *settings.memories_of.values()} - set(MEMORIES):
        raise CuratorError(f"memories must be one of {', '.join(MEMORIES)}, not {value!r}", f"Change it in {settings.file}.")


def _read(file: Path) -> dict[str, Any]:
    try:
        text = file.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        return {}
    import tomllib  # takes longer to import than all of this, and mostly there is no file

    return tomllib.loads(text)


def _from_text(text: str, kind: type) -> Any:
    if kind is bool:
        words = {"1": True, "true": True, "yes": True, "0": False, "false": False, "no": False, "": False}
        return words.get(text.lower(), text)
    if kind is int:
        return int(text) if text.isascii() and text.isdigit() else text
    if kind is float:
        return float(text) if re.fullmatch(r"\d+(\.\d*)?|\.\d+", text, re.ASCII) else text
    return text.split(os.pathsep) if kind is tuple else text


def _check_type(value: Any, kind: type, where: str) -> Any:
    if kind is tuple and isinstance(value, list) and all(isinstance(item, str) for item in value):
        return tuple(value)
    if kind is dict and isinstance(value, dict) and all(isinstance(item, str) for item in value.values()):
        return value
    if kind is float and type(value) in (int, float) and 0 <= value <= MAX_NUMBER:
        return float(value)
    if type(value) is kind and kind not in (dict, float) and not (type(value) is int and not 0 <= value <= MAX_NUMBER):
        return value
    names = {
        bool: "true or false",
        int: f"a whole number from 0 to {MAX_NUMBER:,}",
        float: f"a number from 0 to {MAX_NUMBER:,}",
        str: "a text",
        tuple: "a list of texts",
        dict: "a table of texts",
    }[kind]
    raise CuratorError(f"{where} must be {names}, not {value!r}")


def remember(settings: Settings, key: str, value: str) -> None:
    """Write one text setting into the file and keep its other lines. Raises ``CuratorError``."""

    try:
        lines = settings.file.read_text(encoding="utf-8-sig").split("\n") if settings.file.exists() else []
        others = [line for line in lines if line.partition("=")[0].strip() != key]
        # The line comes before any table, because after one it would belong to that table.
        text = "\n".join([f'{key} = "{value}"', *others]).rstrip("\n") + "\n"
        files.write(settings.file.resolve(), text)  # a link stays a link
    except OSError as error:
        raise CuratorError(f"{settings.file} can't be written: {error.strerror}.", "Change its permissions.") from error
