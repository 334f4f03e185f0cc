"""A seccomp filter as classic BPF: system calls that no command of the agent has a use for.

Attaching to other processes, mounting, new user namespaces, kernel keys and modules, and the
kinds of socket that lead out of the sandbox. Built by hand, since libseccomp need not be there.
"""

from __future__ import annotations

import errno
import os
import socket
import struct
from functools import cache

_LOAD, _AND, _RETURN = 0x20, 0x54, 0x06
_EQUAL, _AT_LEAST, _ANY_BIT = 0x15, 0x35, 0x45
_ALLOW, _KILL, _ERRNO, _NOTIFY = 0x7FFF0000, 0x80000000, 0x00050000, 0x7FC00000
_NUMBER, _ARCH = 0, 4
_NEW_USER = 0x10000000
_TIOCSTI, _TIOCLINUX = 0x5412, 0x541C
_X32 = 0x40000000

# name: (x86_64, aarch64); None where the architecture has no such call.
_DENIED: dict[str, tuple[int | None, int | None]] = {
    "ptrace": (101, 117),
    "process_vm_readv": (310, 270),
    "process_vm_writev": (311, 271),
    "pidfd_getfd": (438, 438),
    "kcmp": (312, 272),
    "mount": (165, 40),
    "umount2": (166, 39),
    "pivot_root": (155, 41),
    "chroot": (161, 51),
    "setns": (308, 268),
    "open_tree": (428, 428),
    "move_mount": (429, 429),
    "fsopen": (430, 430),
    "fsconfig": (431, 431),
    "fsmount": (432, 432),
    "fspick": (433, 433),
    "mount_setattr": (442, 442),
    "bpf": (321, 280),
    "perf_event_open": (298, 241),
    "userfaultfd": (323, 282),
    "keyctl": (250, 219),
    "add_key": (248, 217),
    "request_key": (249, 218),
    "init_module": (175, 105),
    "finit_module": (313, 273),
    "delete_module": (176, 106),
    "kexec_load": (246, 104),
    "kexec_file_load": (320, 294),
    "reboot": (169, 142),
    "swapon": (167, 224),
    "swapoff": (168, 225),
    "acct": (163, 89),
    "quotactl": (179, 60),
    "quotactl_fd": (443, 443),
    "open_by_handle_at": (304, 265),
    "iopl": (172, None),
    "ioperm": (173, None),
    "syslog": (103, 116),
    "settimeofday": (164, 170),
    "clock_settime": (227, 112),
    "clock_adjtime": (305, 266),
    "adjtimex": (159, 171),
    "sethostname": (170, 161),
    "setdomainname": (171, 162),
}
# Said to be missing, so that programs and libraries take their other way.
_MISSING: dict[str, tuple[int | None, int | None]] = {
    "clone3": (435, 435),
    "io_uring_setup": (425, 425),
    "io_uring_enter": (426, 426),
    "io_uring_register": (427, 427),
}
# What Landlock lets pass: changing further attributes of files.
_ATTRIBUTES: dict[str, tuple[int | None, int | None]] = {
    "setxattr": (188, 5),
    "lsetxattr": (189, 6),
    "fsetxattr": (190, 7),
    "removexattr": (197, 14),
    "lremovexattr": (198, 15),
    "fremovexattr": (199, 16),
    "setxattrat": (463, 463),
    "removexattrat": (466, 466),
    "file_setattr": (469, 469),
}
# The same of permissions, times and owners; much used, so the core does it for the command,
# see `seccomp_broker`.
BROKERED: dict[str, tuple[int | None, int | None]] = {
    "chmod": (90, None),
    "fchmod": (91, 52),
    "fchmodat": (268, 53),
    "fchmodat2": (452, 452),
    "utime": (132, None),
    "utimes": (235, None),
    "futimesat": (261, None),
    "utimensat": (280, 88),
    "chown": (92, None),
    "fchown": (93, 55),
    "lchown": (94, None),
    "fchownat": (260, 54),
}
_CLONE, _UNSHARE, _IOCTL, _SOCKET = (56, 220), (272, 97), (16, 29), (41, 198)
_MACHINES = {"x86_64": (0, 0xC000003E), "aarch64": (1, 0xC00000B7)}

_Code = list[tuple[int, int, int, int]]


def supported() -> bool:
    """Whether the numbers of this machine's system calls are known here."""
    return os.uname().machine in _MACHINES


def call_named(number: int) -> str:
    """The brokered call with this number; empty for any other."""
    column = _MACHINES[os.uname().machine][0]
    return next((name for name, pair in BROKERED.items() if pair[column] == number), "")


@cache
def program(families: tuple[int, ...], types: tuple[int, ...], brokered: bool = False) -> bytes:
    """The filter as the kernel takes it.

    families: the socket families that may be opened, besides pairs; types: the kinds of
    internet socket among them; brokered: calls that change a file's permissions, times or
    owner go to the listener of the filter.
    """
    column, arch = _MACHINES[os.uname().machine]
    code: _Code = [
        (_LOAD, 0, 0, _ARCH),
        (_EQUAL, 1, 0, arch),
        (_RETURN, 0, 0, _KILL),
        (_LOAD, 0, 0, _NUMBER),
    ]
    if column == 0:
        code += [(_AT_LEAST, 0, 1, _X32), (_RETURN, 0, 0, _ERRNO | errno.ENOSYS)]
    answers = [(_DENIED, _ERRNO | errno.EPERM), (_MISSING, _ERRNO | errno.ENOSYS)]
    if brokered:
        answers += [(_ATTRIBUTES, _ERRNO | errno.EOPNOTSUPP), (BROKERED, _NOTIFY)]
    for table, answer in answers:
        for call in (pair[column] for pair in table.values()):
            if call is not None:
                code += [(_EQUAL, 0, 1, call), (_RETURN, 0, 0, answer)]
    code += _when(_CLONE[column], _refuse_if(0, _ANY_BIT, _NEW_USER))
    code += _when(_UNSHARE[column], _refuse_if(0, _ANY_BIT, _NEW_USER))
    code += _when(
        _IOCTL[column], _refuse_if(1, _EQUAL, _TIOCSTI) + _refuse_if(1, _EQUAL, _TIOCLINUX)
    )
    code += _when(_SOCKET[column], _sockets(families, types))
    code.append((_RETURN, 0, 0, _ALLOW))
    return b"".join(struct.pack("=HBBI", *one) for one in code)


def _argument(index: int) -> int:
    """Where the low half of an argument lies; the kernel reads no more of these."""
    return 16 + 8 * index


def _when(call: int, checks: _Code) -> _Code:
    """Checks for one call; the number is loaded again behind them."""
    block = [*checks, (_LOAD, 0, 0, _NUMBER)]
    return [(_EQUAL, 0, len(block), call), *block]


def _refuse_if(index: int, test: int, value: int) -> _Code:
    return [
        (_LOAD, 0, 0, _argument(index)),
        (test, 0, 1, value),
        (_RETURN, 0, 0, _ERRNO | errno.EPERM),
    ]


def _sockets(families: tuple[int, ...], types: tuple[int, ...]) -> _Code:
    """Allow the named families; internet ones only with a named type."""
    internet = (socket.AF_INET, socket.AF_INET6)
    plain = [one for one in families if one not in internet]
    checked = [one for one in families if one in internet]
    kinds: _Code = [(_LOAD, 0, 0, _argument(1)), (_AND, 0, 0, 0xF)]
    for place, kind in enumerate(types):
        kinds.append((_EQUAL, len(types) - place, 0, kind))
    kinds.append((_RETURN, 0, 0, _ERRNO | errno.EPERM))
    code: _Code = [(_LOAD, 0, 0, _argument(0))]
    for place, family in enumerate(plain):
        left = len(plain) - place - 1 + len(checked)
        code.append((_EQUAL, left + 1 + len(kinds), 0, family))
    for place, family in enumerate(checked):
        code.append((_EQUAL, len(checked) - place, 0, family))
    return [*code, (_RETURN, 0, 0, _ERRNO | errno.EPERM), *kinds]
