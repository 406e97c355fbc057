"""Settings and places: the only module that knows where anything of ours is kept.

Read from ``settings.toml`` in the home folder, then from ``CURATOR_*`` environment variables, which win.
"""

# Annotations are not postponed here either: see ``curator.model.entry``.
import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from curator.errors import CuratorError
from curator.io import files

DAY = 86_400.0
HIGHEST = 1_000_000
"""What a number may be at most: so many days are beyond every calendar's use."""


class Settings(NamedTuple):
    """Everything a person can set; each field's docstring is its line in ``docs/settings.md``."""

    home: Path
    """Where the database, log and cache live. Set by `CURATOR_HOME`; default: the platform's data folder."""

    per_session: int = 8
    """How many decisions a session asks for at most: three of five of its cards, and three at least, up to this number. The
    rest is one key (`+`) away. 0 shows all."""

    since_days: int = 30
    """How many days back a first scan reads; `curator scan --since all` reads the rest."""

    exclude: tuple[str, ...] = ()
    """Projects that are never read, as folders or glob patterns such as `~/private/*`."""

    expire_days: int = 30
    """How many days a candidate waits for a verdict before it expires; `curator reopen` brings it back. 0: for ever. Of a
    longer absence a week counts."""

    fade_days: int = 14
    """After how many days a temporary lesson that nobody touched comes up in `curator cleanup`. 0: never."""

    review_days: int = 180
    """After how many days any other lesson that nobody touched comes up in `curator cleanup`. 0: never."""

    snooze_hours: int = 24
    """How long `z` puts a card away."""

    theme: str = ""
    """The colour theme, by its name in the palette; empty follows the default."""

    ascii: bool = False
    """Draw with ASCII only; also on when the locale is not UTF-8."""

    mouse: bool = True
    """Whether clicks and the wheel are taken; off leaves selection to the terminal."""

    preview: bool = True
    """Whether the detail pane is shown at start."""

    keys: Mapping[str, str] = {}
    """Other keys for actions, as a table: `[keys]` and below it `keep = "y k"`. `curator keys --toml` prints all."""

    watch: bool = True
    """Whether the inbox follows transcripts while it is open."""

    hook_scan: bool = True
    """Whether transcripts are read beside an agent, by a process of its own, when its hooks say that it has stopped."""

    export: bool = True
    """Whether lessons are also written to `.curator/lessons/` in their project."""

    distiller: str = ""
    """Which model reads sessions for `curator distill`: an agent's own (`claude`, `codex`, `gemini`, `qwen`, `opencode`,
    `copilot`, `cursor`, `goose`), `endpoint`, `anthropic`, `command`, or a plugin's; empty: none. See
    [read by a model](model.md)."""

    distill_when: str = "ask"
    """When the inbox has sessions read: `ask` (a key does it), `end` (also each that was not written for ten minutes, once you
    have agreed to that model) or `never`."""

    distill_model: str = ""
    """The model that the agent or the endpoint is asked for; empty: a cheap one."""

    distill_command: tuple[str, ...] = ()
    """The program of the distiller `command` and its arguments; no shell is involved."""

    distill_url: str = ""
    """Where the distiller `endpoint` is, such as `http://127.0.0.1:11434/v1`; elsewhere than on this machine only https."""

    distill_key_variable: str = ""
    """The name of the environment variable that holds the endpoint's key. The key itself is never stored."""

    distill_price: float = 0.0
    """What a million tokens cost, in any currency, the dearer direction; 0 where that is unknown or nothing."""

    distill_tokens_a_day: int = 200_000
    """So many tokens at most are sent and asked for within 24 hours."""

    distill_seconds: int = 120
    """How long one answer may take."""

    @property
    def database(self) -> Path:
        """The one SQLite file."""
        return self.home / "curator.db"

    @property
    def log(self) -> Path:
        """The rotating log."""
        return self.home / "curator.log"

    @property
    def spool(self) -> Path:
        """Where hooks leave what they saw."""
        return self.home / "spool"

    @property
    def file(self) -> Path:
        """Where settings are read from."""
        return self.home / "settings.toml"

    @property
    def cache(self) -> Path:
        """What can be had again at a price; may be deleted at any time."""
        return self.home / "cache"

    @property
    def exports(self) -> Path:
        """Where lessons of projects wait whose folder is not on this machine."""
        return self.home / "exports"


def default_home(env: Mapping[str, str]) -> Path:
    """``CURATOR_HOME``, else the platform's data folder."""
    if env.get("CURATOR_HOME"):
        try:
            return Path(env["CURATOR_HOME"]).expanduser().absolute()
        except (OSError, RuntimeError) as error:
            raise CuratorError(
                f"CURATOR_HOME is {env['CURATOR_HOME']!r}, which is not a folder: {error}", "Give the whole path of a folder."
            ) from error
    import platformdirs  # with `CURATOR_HOME` set nobody needs it

    return Path(platformdirs.user_data_dir("curator", appauthor=False))


def load(env: Mapping[str, str] = os.environ) -> Settings:
    """Settings from file and environment. Raises ``CuratorError`` that names the file, key and what it should be."""
    settings = Settings(home=default_home(env))
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
    return settings._replace(**values)


def _read(file: Path) -> dict[str, Any]:
    try:
        text = file.read_text(encoding="utf-8")
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
    if kind is float and type(value) in (int, float) and 0 <= value <= HIGHEST:
        return float(value)
    if type(value) is kind and kind not in (dict, float) and not (type(value) is int and not 0 <= value <= HIGHEST):
        return value
    names = {
        bool: "true or false",
        int: f"a whole number from 0 to {HIGHEST:,}",
        float: f"a number from 0 to {HIGHEST:,}",
        str: "a text",
        tuple: "a list of texts",
        dict: "a table of texts",
    }[kind]
    raise CuratorError(f"{where} must be {names}, not {value!r}")


def remember(settings: Settings, key: str, value: str) -> None:
    """Write one text setting into the file, beside whatever else stands there. Raises ``CuratorError``."""

    try:
        lines = settings.file.read_text(encoding="utf-8").split("\n") if settings.file.exists() else []
        others = [line for line in lines if line.partition("=")[0].strip() != key]
        # Before any table: behind one it would belong to that table.
        text = "\n".join([f'{key} = "{value}"', *others]).rstrip("\n") + "\n"
        files.write(settings.file.resolve(), text)  # a link stays a link
    except OSError as error:
        raise CuratorError(f"{settings.file} can't be written: {error.strerror}.", "Change its permissions.") from error
