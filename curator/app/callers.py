"""The caller of a command or a script: a person, or an agent, which decides nothing."""

from __future__ import annotations

import os

from curator.errors import CuratorError
from curator.model import IN_AGENT, PERSON


def running_agent() -> str:
    """Return the agent that runs this process; empty for a person."""
    from curator.agents import processes  # the inbox, which a person starts, paints without it

    return processes.agent(os.environ)


def actor() -> str:
    """Return the name that the history records for this process."""
    name = running_agent()
    return IN_AGENT.format(name) if name else PERSON


def refuse_agents() -> None:
    """Raise ``CuratorError`` if an agent runs this process."""
    if name := running_agent():
        raise CuratorError(
            f"{name} runs this command, but only a person decides about lessons.",
            "Ask the person to run the command in their own terminal. `curator add` proposes a lesson.",
        )
