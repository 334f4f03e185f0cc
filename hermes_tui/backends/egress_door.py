"""The door inside a sandbox: a program that opens a listening socket and hands it out.

It runs as the first program of a command that may use the network. Its socket belongs to the
sandbox's empty network, where the command finds it as its proxy; the core accepts on it from
outside. Nothing stays running inside that could be taken over.

Perl is ready in 2 ms and on nearly every machine, Python takes 10 ms: every command waits for
it.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from functools import cache

PORT = 3128
QUIET: Mapping[str, str] = {"PERL_BADLANG": "0"}
"""Variables for the door alone: a locale that is not installed is not worth a warning."""

PYTHON = """
import os, sys, _socket, _signal
channel = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM, 0, int(sys.argv[1]))
door = _socket.socket(_socket.AF_INET, _socket.SOCK_STREAM)
door.bind(("127.0.0.1", int(sys.argv[2])))
door.listen(128)
rights = door.fileno().to_bytes(4, sys.byteorder)
channel.sendmsg([b"!"], [(_socket.SOL_SOCKET, _socket.SCM_RIGHTS, rights)])
channel.close()
door.close()
os.environ.pop("PERL_BADLANG", None)
for ignored in (_signal.SIGPIPE, _signal.SIGXFSZ):
    _signal.signal(ignored, _signal.SIG_DFL)
os.execvp(sys.argv[3], sys.argv[3:])
"""
"""Run as `python -I -S -c TEXT CHANNEL PORT PROGRAM…`; imports nothing that takes time."""

PERL = r"""
my ($sendmsg, $close, $channel, $port) = map { $_ + 0 } splice(@ARGV, 0, 4);
delete $ENV{PERL_BADLANG};
my $door;
socket($door, 2, 1, 0) && bind($door, pack("S n C4 x8", 2, $port, 127, 0, 0, 1))
    && listen($door, 128) or die "no door to the network: $!\n";
my $sign = "!";
my $data = pack("P Q", $sign, 1);
my $rights = pack("Q l l l x4", 20, 1, 1, fileno($door));
my $message = pack("Q L x4 P Q P Q l x4", 0, 0, $data, 1, $rights, 24, 0);
syscall($sendmsg, $channel, $message, 0) == 1 or die "no door to the network: $!\n";
syscall($close, $channel);
close($door);
exec { $ARGV[0] } @ARGV or die "$ARGV[0]: $!\n";
"""
"""Run as `perl -e TEXT SENDMSG CLOSE CHANNEL PORT PROGRAM…`: the numbers of two system calls, as
the structures it packs are those of Linux with 64 bits (sendmsg(2), cmsg(3))."""

_PERL = "/usr/bin/perl"
_CALLS = {"x86_64": (46, 3), "aarch64": (211, 57), "riscv64": (211, 57)}


def arguments(channel: int, python: bool = False) -> list[str]:
    """What to put before a program so that it finds a door. python: though there is Perl."""
    calls = None if python else perl_calls()
    if calls is not None:
        return [_PERL, "-e", PERL, *map(str, calls), str(channel), str(PORT)]
    program = os.path.realpath(sys.executable)
    return [program, "-I", "-S", "-c", PYTHON, str(channel), str(PORT)]


@cache
def perl_calls() -> tuple[int, int] | None:
    """The numbers of sendmsg and close where Perl can make a door, else None."""
    usable = sys.maxsize > 1 << 32 and os.access(_PERL, os.X_OK)
    return _CALLS.get(os.uname().machine) if usable else None
