"""Landlock by bare system calls: what a thread, and all it starts from then on, may touch.

Numbers and structures are those of the kernel's `include/uapi/linux/landlock.h`; the rights a
kernel does not know yet (its ABI version is lower) are left out.
"""

from __future__ import annotations

import ctypes
import os
import stat
from collections.abc import Iterable
from functools import cache

from msgspec import Struct

_CREATE, _ADD, _RESTRICT = 444, 445, 446
_VERSION = 1
_PATH_RULE, _PORT_RULE = 1, 2
_SET_NO_NEW_PRIVS = 38
_SECCOMP = {"x86_64": 317, "aarch64": 277}
_SET_FILTER, _NEW_LISTENER = 1, 1 << 3
_CAPABILITY_VERSION_3 = 0x20080522

EXECUTE, WRITE_FILE, READ_FILE, READ_DIR = 1 << 0, 1 << 1, 1 << 2, 1 << 3
_REMOVE = 1 << 4 | 1 << 5
_MAKE_DEVICE = 1 << 6 | 1 << 11
_MAKE = 1 << 7 | 1 << 8 | 1 << 9 | 1 << 10 | 1 << 12
_REFER, _TRUNCATE, _IOCTL = 1 << 13, 1 << 14, 1 << 15
_CONNECT_TCP, _BIND_TCP = 1 << 1, 1 << 0
_SCOPES = 1 << 0 | 1 << 1
_OF_FILES = EXECUTE | WRITE_FILE | READ_FILE | _TRUNCATE | _IOCTL

READ = EXECUTE | READ_FILE | READ_DIR
CHANGE = WRITE_FILE | _REMOVE | _MAKE | _REFER | _TRUNCATE
LIST = READ_DIR | _REFER
DEVICE = READ_FILE | WRITE_FILE | _IOCTL


class Rule(Struct, frozen=True):
    """A file or folder, with all below it, and what may be done there."""

    path: str
    rights: int


class Domain(Struct, frozen=True, kw_only=True):
    """Everything that is allowed. seccomp: a filter program, see `seccomp`; port: the one TCP
    port to connect to (0: none at all).
    """

    rules: tuple[Rule, ...]
    seccomp: bytes
    port: int = 0


class _Ruleset(ctypes.Structure):
    _fields_ = [("fs", ctypes.c_uint64), ("net", ctypes.c_uint64), ("scoped", ctypes.c_uint64)]


class _Beneath(ctypes.Structure):
    _pack_ = 1
    _fields_ = [("access", ctypes.c_uint64), ("parent", ctypes.c_int32)]


class _Port(ctypes.Structure):
    _fields_ = [("access", ctypes.c_uint64), ("port", ctypes.c_uint64)]


class _Program(ctypes.Structure):
    _fields_ = [("length", ctypes.c_ushort), ("code", ctypes.c_char_p)]


class _Capabilities(ctypes.Structure):
    _fields_ = [("version", ctypes.c_uint32), ("pid", ctypes.c_int)]


@cache
def abi() -> int:
    """The kernel's Landlock version; 0 where there is none."""
    if not os.path.isdir("/proc/self"):
        return 0
    version = _libc().syscall(_CREATE, None, ctypes.c_size_t(0), ctypes.c_uint(_VERSION))
    return max(0, version)


def enter(domain: Domain) -> int:
    """Confine the calling thread for good; raises OSError. The listener of the seccomp filter.

    Meant for a thread that starts one program and ends: a child inherits the confinement of
    the thread that made it, other threads keep their freedom.
    """
    libc = _libc()
    _checked(libc.prctl(_SET_NO_NEW_PRIVS, 1, 0, 0, 0), "no_new_privs")
    _drop_capabilities()
    ruleset = _ruleset()
    try:
        for rule in domain.rules:
            _add_path(ruleset, rule)
        if domain.port and abi() >= 4:
            port = _Port(_CONNECT_TCP, domain.port)
            _checked(_add(ruleset, _PORT_RULE, port), "landlock_add_rule")
        restrict = libc.syscall(_RESTRICT, ctypes.c_int(ruleset), ctypes.c_uint(0))
        _checked(restrict, "landlock_restrict_self")
    finally:
        os.close(ruleset)
    program = _Program(len(domain.seccomp) // 8, domain.seccomp)
    listener = libc.syscall(
        ctypes.c_long(_SECCOMP[os.uname().machine]),
        ctypes.c_uint(_SET_FILTER),
        ctypes.c_uint(_NEW_LISTENER),
        ctypes.byref(program),
    )
    return _checked(listener, "seccomp")


def existing(paths: Iterable[str], rights: int) -> tuple[Rule, ...]:
    """A rule for each path there is."""
    return tuple(Rule(path, rights) for path in paths if os.path.exists(path))


def _drop_capabilities() -> None:
    """Root is let past some of Landlock's rules by its capabilities, so it loses them all."""
    none = (ctypes.c_uint32 * 6)()
    header = _Capabilities(_CAPABILITY_VERSION_3, 0)
    done = _libc().capset(ctypes.byref(header), ctypes.byref(none))
    _checked(done, "capset")


@cache
def _libc() -> ctypes.CDLL:
    libc = ctypes.CDLL(None, use_errno=True)
    libc.syscall.restype = ctypes.c_long
    return libc


def _ruleset() -> int:
    version = abi()
    attributes = _Ruleset(_known(-1) & 0xFFFF)
    size = 8
    if version >= 4:
        attributes.net, size = _CONNECT_TCP | _BIND_TCP, 16
    if version >= 6:
        attributes.scoped, size = _SCOPES, 24
    made = _libc().syscall(
        _CREATE, ctypes.byref(attributes), ctypes.c_size_t(size), ctypes.c_uint(0)
    )
    return _checked(made, "landlock_create_ruleset")


def _known(rights: int) -> int:
    """Those rights that this kernel's version knows."""
    for since, right in ((2, _REFER), (3, _TRUNCATE), (5, _IOCTL)):
        if abi() < since:
            rights &= ~right
    return rights


def _add_path(ruleset: int, rule: Rule) -> None:
    try:
        parent = os.open(rule.path, os.O_PATH | os.O_CLOEXEC)
    except OSError:
        return  # gone meanwhile, or out of reach anyway: then there is nothing to allow
    try:
        rights = _known(rule.rights) & ~_MAKE_DEVICE
        if not stat.S_ISDIR(os.fstat(parent).st_mode):
            rights &= _OF_FILES
        if rights:
            _checked(_add(ruleset, _PATH_RULE, _Beneath(rights, parent)), "landlock_add_rule")
    finally:
        os.close(parent)


def _add(ruleset: int, kind: int, rule: ctypes.Structure) -> int:
    return _libc().syscall(
        _ADD, ctypes.c_int(ruleset), ctypes.c_int(kind), ctypes.byref(rule), ctypes.c_uint(0)
    )


def _checked(result: int, what: str) -> int:
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{what}: {os.strerror(number)}")
    return result
