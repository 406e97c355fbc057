"""Connections to the hub, and the errors of the server in words that a person can act on."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from configparser import RawConfigParser
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from curator.errors import CuratorError

if TYPE_CHECKING:
    import psycopg

    Connection: TypeAlias = psycopg.Connection[tuple[Any, ...]]

MISSING = CuratorError("The hub needs the package psycopg.", "Install it with `pip install 'lesson-curator[hub]'`.")
LOCAL = ("", "localhost", "127.0.0.1", "::1")
"""Hosts that are this machine; a path is a socket on it."""


class HubAway(CuratorError):
    """The hub can't be reached now; everything on this machine works as ever."""


def address(url: str, *, keep_password: bool = False) -> str:
    """Return the address of a hub for storage, without a password unless it is used at once. A bare word names a service.

    Raises ``CuratorError`` for an invalid address, and without psycopg.
    """
    try:
        from psycopg import Error, conninfo  # an extra: most people have no hub
    except ImportError as error:
        raise MISSING from error
    if not any(sign in url for sign in "=:/"):
        url = f"service={url}"
    try:
        parts = conninfo.conninfo_to_dict(url)
    except Error as error:
        raise CuratorError(
            "This is not a PostgreSQL address.", "Write postgresql://host/database, or a service's name."
        ) from error
    secret = () if keep_password else ("password", "sslpassword")
    return conninfo.make_conninfo("", **{key: value for key, value in parts.items() if key not in secret})


def lacks_tls(url: str) -> bool:
    """Return whether an address leads to another machine and does not ask for TLS with a verified host."""
    from psycopg import conninfo  # the address was made by it

    given = conninfo.conninfo_to_dict(url)
    service = _service(str(given.get("service") or os.environ.get("PGSERVICE", "")))
    host, mode = (
        str(given.get(name) or service.get(name) or os.environ.get(variable, ""))
        for name, variable in (("host", "PGHOST"), ("sslmode", "PGSSLMODE"))
    )
    foreign = any(one not in LOCAL and not one.startswith("/") for one in host.split(","))
    return foreign and mode != "verify-full"


def _service(name: str) -> Mapping[str, str]:
    """Return the parameters of a service in libpq's file; empty if there is none."""
    services = RawConfigParser(strict=False)
    services.read(os.environ.get("PGSERVICEFILE") or Path.home() / ".pg_service.conf", encoding="utf-8")
    return services[name] if services.has_section(name) else {}


@contextmanager
def connect(url: str) -> Iterator[Connection]:
    """Open a connection in autocommit mode. Raises ``HubAway`` if the server is away, and ``CuratorError`` for its refusals."""
    try:
        import psycopg  # an extra: most people have no hub
    except ImportError as error:
        raise MISSING from error
    try:
        # Others may make functions in ``public``, which would run as this login.
        options = "-c statement_timeout=30s -c lock_timeout=10s -c search_path=pg_catalog"
        with psycopg.connect(
            url, autocommit=True, connect_timeout=5, application_name="curator", options=options
        ) as connection:
            yield connection
    except psycopg.OperationalError as error:
        raise HubAway(
            f"The hub can't be reached: {_first_line(error)}", "Your lessons are safe here. Try again later."
        ) from error
    except psycopg.errors.InvalidSchemaName as error:
        raise CuratorError("There is no hub in this database.", "An admin makes one with `curator hub create URL`.") from error
    except psycopg.errors.InsufficientPrivilege as error:
        raise CuratorError(f"The hub refused: {_first_line(error)}", "Ask an admin of the hub for this right.") from error
    except psycopg.Error as error:
        raise CuratorError(f"The hub failed: {_first_line(error)}", "Tell an admin of the hub.") from error


def _first_line(error: Exception) -> str:
    """Return the main sentence of a server's error: its details may quote rows."""
    return f"{(str(error).strip().splitlines() or ['no reason was given'])[0].rstrip('.')}."
