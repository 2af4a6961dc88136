"""What the Linux kernel offers to keep a script from the rest of the machine, and how it is asked for.

Imported by supervisor.py, also under the interpreter that the scripts run with (Python 3.8 or later, no
dpkb there). Run as a program it tries what this machine allows and prints that as JSON.
"""

import contextlib
import ctypes
import fcntl
import json
import os
import resource
import signal
import socket
import struct
import sys
import tempfile

# Each part of a confinement by the namespaces that it takes.
NEW_MOUNTS, NEW_IPC, NEW_USER, NEW_PIDS, NEW_NET = 0x20000, 0x8000000, 0x10000000, 0x20000000, 0x40000000
PARTS = {"files": NEW_MOUNTS | NEW_IPC, "processes": NEW_PIDS, "network": NEW_NET}
# From the strictest to nothing: a container may refuse /proc, a kernel the network.
WISHES = (("files", "processes", "network"), ("files", "network"), ("files", "processes"), ("files",), ())

MS_RDONLY, MS_NOSUID, MS_NODEV, MS_NOEXEC, MS_BIND = 1, 2, 4, 8, 4096
READ_ONLY, PRIVATE, RECURSIVE, HERE = 1, 1 << 18, 0x8000, -100
MOUNT_SETATTR = 442  # the same number on every architecture but alpha
SET_DEATH_SIGNAL, DROP_BOUND, SUBREAPER, NO_NEW_PRIVILEGES = 1, 24, 36, 38
CAPABILITY_VERSION = 0x20080522
# What a root script keeps: its files, its users, its processes, ports, limits. Without the others it
# cannot mount, load modules, set the clock, make devices, or undo its confinement.
KEPT_CAPABILITIES = {0, 1, 2, 3, 4, 5, 6, 7, 8, 10, 13, 14, 15, 18, 19, 23, 24}
# Processes and threads of one script that the kernel allows: torch starts a thread a core in each process.
TASKS = 512 + 32 * (os.cpu_count() or 1)
SPOOL = "/var/tmp"
LIBC = ctypes.CDLL(None, use_errno=True)


def unshare(confinement):
    """Move this process, and the children it will have, into namespaces of their own."""
    user, group = os.getuid(), os.getgid()
    flags = NEW_USER if confinement["user"] else 0
    for part in confinement["parts"]:
        flags |= PARTS[part]
    call("unshare", LIBC.unshare(flags))
    if confinement["user"]:
        for name, text in (("setgroups", "deny"), ("uid_map", f"{user} {user} 1"),
                           ("gid_map", f"{group} {group} 1")):
            with open(f"/proc/self/{name}", "w") as file:
                file.write(text)


def furnish(parts, place, shm_bytes):
    """Make the view of these namespaces: read-only but for the script's own folders, loopback only.

    place: the paths of "work", "home", "hosts", and "spool", which becomes /var/tmp.
    """
    if "files" in parts:
        attributes("/", RECURSIVE, READ_ONLY, 0, PRIVATE)
        if "processes" in parts:
            mount("proc", "/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC)
            limit_tasks()
        else:
            attributes("/proc", 0, 0, READ_ONLY)
        for path in ("/proc/sys", "/proc/sysrq-trigger", "/proc/irq", "/proc/bus"):
            if os.path.exists(path):
                bind(path, path)
                attributes(path, 0, READ_ONLY, 0)
        if os.path.isdir("/dev/shm"):
            mount("tmpfs", "/dev/shm", "tmpfs", MS_NOSUID | MS_NODEV, f"size={shm_bytes},mode=1777")
        for path, onto in ((place["work"], place["work"]), (place["home"], place["home"]),
                           (place["spool"], SPOOL)):
            if path:
                bind(path, onto)
                attributes(onto, 0, 0, READ_ONLY)
    if "network" in parts:
        loopback_up()
        if "files" in parts and os.path.exists("/etc/hosts"):
            # gloo looks for an address of this host by its name, and only the loopback is left.
            bind(place["hosts"], "/etc/hosts")


def limit_tasks():
    """Bound the processes of this process namespace, where that is not the whole machine's number."""
    release = os.uname().release.split(".")
    with contextlib.suppress(OSError, ValueError):
        if (int(release[0]), int(release[1])) >= (6, 14):
            with open("/proc/sys/kernel/pid_max", "w") as file:
                file.write(str(300 + TASKS))  # the first 300 numbers are given only once


def loopback_up():
    """Bring up the loopback interface of a new network namespace."""
    get_flags, set_flags, up = 0x8913, 0x8914, 1
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        request = fcntl.ioctl(any_socket, get_flags, struct.pack("16sH14x", b"lo", 0))
        flags = struct.unpack("16sH14x", request)[1]
        fcntl.ioctl(any_socket, set_flags, struct.pack("16sH14x", b"lo", flags | up))


def bound(confinement):
    """Take from this process, just before it becomes the script, what would let it undo all this."""
    LIBC.prctl(SET_DEATH_SIGNAL, int(signal.SIGKILL), 0, 0, 0)
    LIBC.prctl(NO_NEW_PRIVILEGES, 1, 0, 0, 0)
    if confinement["user"]:  # counted for this namespace alone; elsewhere for the whole user
        hard = resource.getrlimit(resource.RLIMIT_NPROC)[1]
        most = TASKS if hard == resource.RLIM_INFINITY else min(TASKS, hard)
        resource.setrlimit(resource.RLIMIT_NPROC, (most, most))
    if not confinement["parts"]:
        return
    kept = KEPT_CAPABILITIES if os.geteuid() == 0 else ()
    for number in range(64):
        if number not in kept:
            LIBC.prctl(DROP_BOUND, number, 0, 0, 0)
    header = (ctypes.c_uint32 * 2)(CAPABILITY_VERSION, 0)
    held = (ctypes.c_uint32 * 6)()
    call("capget", LIBC.capget(header, held))
    mask = sum(1 << number for number in kept)
    for word in range(6):  # effective, permitted, inheritable of the lower half, then of the upper
        held[word] &= 0 if word % 3 == 2 else (mask >> (32 * (word // 3))) & 0xFFFFFFFF
    call("capset", LIBC.capset(header, held))


def prefer_for_oom():
    """Where the machine runs out of memory, let it be this process that the kernel ends."""
    with contextlib.suppress(OSError), open("/proc/self/oom_score_adj", "w") as file:
        file.write("1000")


def mount(source, target, kind, flags, data=""):
    """mount(2)."""
    call(f"mount on {target}", LIBC.mount(source.encode(), target.encode(), kind.encode(),
                                          ctypes.c_ulong(flags), data.encode()))


def bind(source, target):
    """Show one file or folder also under another name."""
    mount(source, target, "", MS_BIND)


def attributes(path, how, added, removed, propagation=0):
    """mount_setattr(2), from Linux 5.12 on."""
    wanted = struct.pack("QQQQ", added, removed, propagation, 0)
    call(f"mount_setattr on {path}", LIBC.syscall(
        ctypes.c_long(MOUNT_SETATTR), ctypes.c_int(HERE), ctypes.c_char_p(path.encode()),
        ctypes.c_uint(how), ctypes.c_char_p(wanted), ctypes.c_size_t(len(wanted))))


def call(what, answer):
    """Raise OSError, naming the call, where the kernel said no."""
    if answer:
        number = ctypes.get_errno()
        raise OSError(number, f"{what}: {os.strerror(number)}")


def offered():
    """The strictest confinement that this machine allows, and why there is no stricter one."""
    why = ""
    with tempfile.TemporaryDirectory(prefix="dpkb-") as folder:
        place = made_place(folder)
        for wish in WISHES:
            for user in (False, True) if wish else (False,):
                confinement = {"user": user, "parts": list(wish)}
                refused = trial(confinement, place)
                if not refused:
                    return {**confinement, "why": why}
                why = why or refused
    return {"user": False, "parts": [], "why": why}


def made_place(folder):
    """The folders and the file that a view is furnished with."""
    place = {name: os.path.join(folder, name) for name in ("work", "home", "hosts")}
    for name in ("work", "home"):
        os.mkdir(place[name])
    with open(place["hosts"], "w"):
        pass
    return {**place, "spool": None}


def trial(confinement, place):
    """Furnish a confinement once, in processes of its own: why it is refused, empty if it is not."""
    read, write = os.pipe()
    first = os.fork()
    if first == 0:
        answer(write, lambda: try_out(confinement, place, write))
        os._exit(0)
    os.close(write)
    os.waitpid(first, 0)
    with os.fdopen(read, "rb") as answers:
        said = answers.read().decode().splitlines() or ["it ended early"]
    return "" if said == ["ok", "ok"] else next((line for line in said if line != "ok"), "it ended early")


def try_out(confinement, place, descriptor):
    """Unshare here and furnish in a child: only that is in the new process namespace."""
    unshare(confinement)
    child = os.fork()
    if child == 0:
        answer(descriptor, lambda: furnish(confinement["parts"], place, 1 << 20))
        os._exit(0)
    os.waitpid(child, 0)


def answer(descriptor, act):
    """Do it, and write `ok` or what went wrong. True: it was done."""
    try:
        act()
        said = "ok"
    except OSError as error:
        said = error.strerror or str(error)
    os.write(descriptor, said.encode() + b"\n")
    return said == "ok"


if __name__ == "__main__":
    print(json.dumps(offered()))
    sys.exit(0)
