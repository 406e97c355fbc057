"""``curator mcp``: the server that agents start to ask for lessons."""

from __future__ import annotations

import click

from curator.cli.context import Session, pass_session, placed, warn
from curator.io.lasting import lasting


@click.command("mcp")
@placed
@pass_session
def mcp(session: Session) -> None:
    """Serve lessons to an agent by MCP, over standard streams.

    Agents start this; it ends when they do. It gives out the active lessons of the folder's project, and of no other, and
    global ones, and takes proposals, which wait in the inbox like all others. Started in the home folder, where there is no
    project, it speaks of the first one that is named to it, or of that of --project.
    """
    from curator.agents.mcp.transport import claim

    wire = claim()
    settings, folder = session.settings, session.folder()
    wire.attend()
    if wire.by_hand:
        warn("This is for agents: it waits for MCP requests, one a line, on standard input. Ctrl-D or ctrl-c ends it.")
    with lasting():  # takes long: the wire greets the client meanwhile
        from curator.agents.mcp.server import serve
        from curator.app.mcp import Serving

    serve(wire, Serving(settings, folder))


COMMANDS = (mcp,)
