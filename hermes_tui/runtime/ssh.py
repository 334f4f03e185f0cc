"""A way to another machine over ssh, as the person's own `~/.ssh` says: hosts, keys, jumps."""

from __future__ import annotations

import getpass
import os
import socket
from typing import Any

from msgspec import Struct

from hermes_tui.errors import CoreError

CONNECT_S = 15.0
ALIVE_S = 5
DEAD_MS = 15_000
_CONFIG = "~/.ssh/config"
_MOST_JUMPS = 5


class Place(Struct, frozen=True, kw_only=True):
    """Where to, as it was typed: `user@host`, `host:port`, or a name of `~/.ssh/config`."""

    host: str
    user: str = ""
    port: int = 0

    @classmethod
    def read(cls, text: str) -> Place:
        """Raises CoreError for what is no place."""
        user, _, host = text.rpartition("@")
        name, colon, port = host.partition(":")
        if not name or name.startswith("-") or (colon and not port.isdigit()):
            raise CoreError(f"{text!r} is no host", "write user@host or user@host:port")
        return cls(host=name, user=user, port=int(port or 0))


def connect(place: Place, config_file: str = _CONFIG, depth: int = 0) -> Any:
    """A connected `paramiko.SSHClient`. Blocks. Raises CoreError with what to do next."""
    try:
        import paramiko
    except ImportError:
        raise CoreError("attach over ssh needs paramiko", "pip install 'hermes-tui[ssh]'") from None
    known = _settings(paramiko, place, config_file)
    name = str(known["hostname"])
    client = paramiko.SSHClient()
    client.load_system_host_keys()
    hosts = [one for one in str(known.get("userknownhostsfile", "")).split() if one != "none"]
    for path in filter(os.path.exists, map(os.path.expanduser, hosts)):
        client.load_host_keys(path)
    client.set_missing_host_key_policy(paramiko.RejectPolicy())
    # a list is taken, whatever the annotation there says
    keys: Any = [os.path.expanduser(one) for one in known.get("identityfile", [])] or None
    port = place.port or int(known.get("port", 22))
    try:
        sock = _way(paramiko, known, name, port, config_file, depth)
        client.connect(
            name,
            port=port,
            username=place.user or known.get("user") or getpass.getuser(),
            key_filename=keys,
            look_for_keys=str(known.get("identitiesonly", "no")) != "yes",
            sock=sock,
            timeout=CONNECT_S,
            banner_timeout=CONNECT_S,
            auth_timeout=CONNECT_S,
        )
    except (paramiko.SSHException, OSError, EOFError) as error:
        client.close()
        raise _told(paramiko, error, place) from error
    transport = client.get_transport()
    if transport is not None:
        transport.set_keepalive(ALIVE_S)
    return client


def _settings(paramiko: Any, place: Place, config_file: str) -> dict[str, Any]:
    path = os.path.expanduser(config_file)
    config = paramiko.SSHConfig.from_path(path) if os.path.exists(path) else paramiko.SSHConfig()
    return dict(config.lookup(place.host))


def _way(
    paramiko: Any, known: dict[str, Any], host: str, port: int, config_file: str, depth: int
) -> Any:
    """What carries the connection: a socket, a channel through a jump, or a command's pipes."""
    jumps = str(known.get("proxyjump", "none"))
    if jumps != "none":
        if depth >= _MOST_JUMPS:
            raise CoreError("the jumps in ~/.ssh/config go round in a circle", "look at ProxyJump")
        return _jump(jumps, host, port, config_file, depth)
    if known.get("proxycommand", "none") != "none":
        return paramiko.ProxyCommand(known["proxycommand"])
    sock = socket.create_connection((host, port), CONNECT_S)
    if hasattr(socket, "TCP_USER_TIMEOUT"):
        # A link that is dead without a word is noticed, so that it can be made anew.
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, DEAD_MS)
    sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return sock


def _jump(jumps: str, host: str, port: int, config_file: str, depth: int) -> Any:
    last = jumps.split(",")[-1]
    client = connect(Place.read(last), config_file, depth + 1)
    transport = client.get_transport()
    channel = transport.open_channel("direct-tcpip", (host, port), ("127.0.0.1", 0), CONNECT_S)
    channel.jump = client  # lives as long as what goes through it
    return channel


def _told(paramiko: Any, error: BaseException, place: Place) -> CoreError:
    host = place.host
    if isinstance(error, paramiko.BadHostKeyException):
        text = f"{host} has another key than the one that is known: somebody may listen in"
        return CoreError(text, f"find out why, then `ssh-keygen -R {host}`")
    if isinstance(error, paramiko.AuthenticationException):
        return CoreError(f"{host} took none of your keys", f"does `ssh {host}` work?")
    if "not found in known_hosts" in str(error):
        text = f"the key of {host} is not known yet"
        return CoreError(text, f"`ssh {host}` once shows it to you and keeps it")
    return CoreError(f"{host} can't be reached: {error}", f"does `ssh {host}` work?")
