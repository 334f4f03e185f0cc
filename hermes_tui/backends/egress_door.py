"""The door inside a sandbox: a program that opens a listening socket and hands it out.

It runs as the first program of a command that may use the network. Its socket belongs to the
sandbox's empty network, where the command finds it as its proxy; the core accepts on it from
outside. Nothing stays running inside that could be taken over.
"""

from __future__ import annotations

PORT = 3128

TEXT = """
import os, sys, _socket
channel = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM, 0, int(sys.argv[1]))
door = _socket.socket(_socket.AF_INET, _socket.SOCK_STREAM)
door.bind(("127.0.0.1", int(sys.argv[2])))
door.listen(128)
rights = door.fileno().to_bytes(4, sys.byteorder)
channel.sendmsg([b"!"], [(_socket.SOL_SOCKET, _socket.SCM_RIGHTS, rights)])
channel.close()
door.close()
os.execvp(sys.argv[3], sys.argv[3:])
"""
"""Run as `python -I -S -c TEXT DESCRIPTOR PORT PROGRAM…`; imports nothing that takes time."""
