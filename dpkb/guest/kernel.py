"""Linux system calls that Python's library lacks, with constants under the kernel's names.

Runs under any Python from 3.8 on; imports only the standard library.
"""

from __future__ import annotations

import ctypes
import fcntl
import os
import socket
import struct

AT_FDCWD, AT_RECURSIVE = -100, 0x8000
CLONE_NEWNS, CLONE_NEWIPC, CLONE_NEWUSER = 0x20000, 0x8000000, 0x10000000
CLONE_NEWPID, CLONE_NEWNET = 0x20000000, 0x40000000
MS_NOSUID, MS_NODEV, MS_NOEXEC, MS_BIND, MS_PRIVATE = 2, 4, 8, 4096, 1 << 18
MOUNT_ATTR_RDONLY, MOUNT_ATTR_NODEV = 1, 4
SYS_MOUNT_SETATTR = 442  # the same number on every architecture but alpha
PR_SET_PDEATHSIG, PR_SET_DUMPABLE, PR_CAPBSET_READ, PR_CAPBSET_DROP = 1, 4, 23, 24
PR_SET_CHILD_SUBREAPER, PR_SET_NO_NEW_PRIVS = 36, 38
SIOCGIFFLAGS, SIOCSIFFLAGS, IFF_UP = 0x8913, 0x8914, 1
_LINUX_CAPABILITY_VERSION_3 = 0x20080522
CAP_CHOWN, CAP_DAC_OVERRIDE, CAP_FOWNER, CAP_FSETID, CAP_KILL, CAP_SETGID, CAP_SETUID = 0, 1, 3, 4, 5, 6, 7
CAP_NET_BIND_SERVICE, CAP_IPC_LOCK = 10, 14

_LIBC = ctypes.CDLL(None, use_errno=True)


def _check(call: str, result: int) -> None:
    """Raise OSError with the name of the call if the kernel refused it."""
    if result:
        number = ctypes.get_errno()
        raise OSError(number, f"{call}: {os.strerror(number)}")


def prctl(option: int, value: int) -> int:
    """prctl(2). Returns what the kernel does."""
    zero = ctypes.c_ulong(0)
    result: int = _LIBC.prctl(option, ctypes.c_ulong(value), zero, zero, zero)
    _check(f"prctl option {option}", result < 0)
    return result


def unshare(flags: int) -> None:
    """unshare(2)."""
    _check("unshare", _LIBC.unshare(flags))


def mount(source: str, target: str, kind: str, flags: int, data: str = "") -> None:
    """mount(2)."""
    _check(
        "mount on " + target,
        _LIBC.mount(
            os.fsencode(source), os.fsencode(target), kind.encode(), ctypes.c_ulong(flags), data.encode()
        ),
    )


def mount_setattr(path: str, flags: int, attr_set: int, attr_clr: int, propagation: int = 0) -> None:
    """mount_setattr(2), from Linux 5.12 on."""
    attributes = struct.pack("QQQQ", attr_set, attr_clr, propagation, 0)
    _check(
        "mount_setattr on " + path,
        _LIBC.syscall(
            ctypes.c_long(SYS_MOUNT_SETATTR),
            ctypes.c_int(AT_FDCWD),
            ctypes.c_char_p(os.fsencode(path)),
            ctypes.c_uint(flags),
            ctypes.c_char_p(attributes),
            ctypes.c_size_t(len(attributes)),
        ),
    )


def drop_capabilities(kept: tuple[int, ...]) -> None:
    """Give up every capability but these, also for programs that this process executes later."""
    with open("/proc/sys/kernel/cap_last_cap") as file:
        last = int(file.read())
    for number in range(last + 1):
        if number not in kept and prctl(PR_CAPBSET_READ, number):
            prctl(PR_CAPBSET_DROP, number)
    header = (ctypes.c_uint32 * 2)(_LINUX_CAPABILITY_VERSION_3, 0)
    # Effective, permitted and inheritable of capabilities 0 to 31, then of 32 to 63.
    sets = (ctypes.c_uint32 * 6)()
    _check("capget", _LIBC.capget(header, sets))
    mask = sum(1 << number for number in kept)
    for word in range(6):
        sets[word] &= mask if word < 2 else 0
    _check("capset", _LIBC.capset(header, sets))


def bring_loopback_up() -> None:
    """Bring up the loopback interface of a new network namespace."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        reply = fcntl.ioctl(any_socket, SIOCGIFFLAGS, struct.pack("16sH14x", b"lo", 0))
        flags = struct.unpack("16sH14x", reply)[1]
        fcntl.ioctl(any_socket, SIOCSIFFLAGS, struct.pack("16sH14x", b"lo", flags | IFF_UP))
