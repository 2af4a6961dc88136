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

if __name__ == "__main__":
    sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import cgroup

# Each part of a confinement by the namespaces that it takes.
NEW_MOUNTS, NEW_IPC, NEW_USER, NEW_PIDS, NEW_NET = 0x20000, 0x8000000, 0x10000000, 0x20000000, 0x40000000
PARTS = {"files": NEW_MOUNTS | NEW_IPC, "processes": NEW_PIDS, "network": NEW_NET}
# From the strictest to nothing: a container may refuse /proc, a kernel the network.
WISHES = (("files", "processes", "network"), ("files", "network"), ("files", "processes"), ("files",), ())

MS_RDONLY, MS_NOSUID, MS_NODEV, MS_NOEXEC, MS_BIND, MS_REC = 1, 2, 4, 8, 4096, 16384
READ_ONLY, NO_DEVICES, PRIVATE, RECURSIVE, HERE = 1, 4, 1 << 18, 0x8000, -100
MOUNT_SETATTR = 442  # the same number on every architecture but alpha
SET_DEATH_SIGNAL, DROP_BOUND, SUBREAPER, NO_NEW_PRIVILEGES = 1, 24, 36, 38
CAPABILITY_VERSION = 0x20080522
# What a root script keeps: its files, its users, its processes, ports. Without the others it cannot
# mount, load modules, set the clock, make devices, go before others, raise its limits, or undo all this.
KEPT_CAPABILITIES = {0, 1, 2, 3, 4, 5, 6, 7, 8, 10, 13, 14, 15, 18, 19}
# Processes and threads of one script that the kernel allows: torch starts a thread a core in each process.
TASKS = 512 + 32 * (os.cpu_count() or 1)
SPOOL = "/var/tmp"

# Landlock needs no namespace and no right: what a process may do to files is given by folder.
CREATE_RULESET, ADD_RULE, RESTRICT_SELF = 444, 445, 446  # the same numbers on every architecture
WRITE, TRUNCATE = 1 << 1, 1 << 14
CHANGES = WRITE | sum(1 << bit for bit in range(4, 15))  # remove, make, rename and truncate
SIGNALS = 2
# What it can keep a script from, by the version of it that can: 3 is Linux 6.2, 6 is Linux 6.12.
RULES = {"files": 3, "processes": 6}
DEVICES = ("/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom")
# What else a script sees in /dev: its own terminal, if it makes one, and what computes.
SEEN_DEVICES = (*DEVICES, "/dev/tty")
ACCELERATORS = ("nvidia", "kfd", "dri", "dxg", "accel")
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


def furnish(confinement, place, shm_bytes):
    """Make the view of these namespaces: read-only but for the script's own folders, loopback only.

    place: the paths of "work", "home", "hosts", and "spool", which becomes /var/tmp.
    """
    user, parts = confinement["user"], confinement["parts"]
    if "files" in parts:
        attributes("/", RECURSIVE, READ_ONLY | NO_DEVICES, 0, PRIVATE)
        if "processes" in parts:
            mount("proc", "/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC)
            limit_tasks()
        else:
            attributes("/proc", 0, 0, READ_ONLY)
        if user:  # a file system in memory of its own would be in no process
            setting("user/max_user_namespaces", 0)
        for path in ("/proc/sys", "/proc/sysrq-trigger", "/proc/irq", "/proc/bus"):
            if os.path.exists(path):
                bind(path, path)
                attributes(path, 0, READ_ONLY, 0)
        devices(shm_bytes)
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


def devices(shm_bytes):
    """A /dev of its own: no disks, no memory, no terminals of others."""
    shared, wanted = os.path.isdir("/dev/shm"), [path for path in SEEN_DEVICES if os.path.exists(path)]
    wanted += [entry.path for entry in os.scandir("/dev") if entry.name.startswith(ACCELERATORS)]
    before = os.open("/dev", os.O_PATH)
    mount("tmpfs", "/dev", "tmpfs", MS_NOSUID | MS_NOEXEC, "size=64k,mode=755")
    for path in wanted:
        source = f"/proc/self/fd/{before}/{os.path.basename(path)}"
        if not os.path.exists(source):  # a link to nowhere
            continue
        if os.path.isdir(source):
            os.mkdir(path)
        else:
            os.close(os.open(path, os.O_CREAT | os.O_WRONLY))
        mount(source, path, "", MS_BIND | MS_REC)
        attributes(path, RECURSIVE, 0, NO_DEVICES)
    os.close(before)
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        os.symlink(f"/proc/self/fd/{number}", f"/dev/{name}")
    os.symlink("/proc/self/fd", "/dev/fd")
    if shared:
        os.mkdir("/dev/shm")
        mount("tmpfs", "/dev/shm", "tmpfs", MS_NOSUID | MS_NODEV, f"size={shm_bytes},mode=1777")
    os.mkdir("/dev/pts")
    os.symlink("pts/ptmx", "/dev/ptmx")
    with contextlib.suppress(OSError):  # then it can make no terminals
        mount("devpts", "/dev/pts", "devpts", MS_NOSUID | MS_NOEXEC, "newinstance,ptmxmode=0666,mode=620")
    attributes("/dev", 0, READ_ONLY, 0)


def setting(name, value):
    """Write a number to a setting of these namespaces, where the kernel has it and lets this process."""
    with contextlib.suppress(OSError), open(f"/proc/sys/{name}", "w") as file:
        file.write(str(value))


def limit_tasks():
    """Bound the processes of this process namespace, where that is not the whole machine's number."""
    release = os.uname().release.split(".")
    with contextlib.suppress(ValueError):
        if (int(release[0]), int(release[1])) >= (6, 14):
            setting("kernel/pid_max", 300 + TASKS)  # the first 300 numbers are given only once


def loopback_up():
    """Bring up the loopback interface of a new network namespace."""
    get_flags, set_flags, up = 0x8913, 0x8914, 1
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        request = fcntl.ioctl(any_socket, get_flags, struct.pack("16sH14x", b"lo", 0))
        flags = struct.unpack("16sH14x", request)[1]
        fcntl.ioctl(any_socket, set_flags, struct.pack("16sH14x", b"lo", flags | up))


def bound(confinement, place):
    """Take from this process, just before it becomes the script, what would let it undo all this."""
    LIBC.prctl(SET_DEATH_SIGNAL, int(signal.SIGKILL), 0, 0, 0)
    LIBC.prctl(NO_NEW_PRIVILEGES, 1, 0, 0, 0)
    if confinement["user"]:  # counted for this namespace alone; elsewhere for the whole user
        hard = resource.getrlimit(resource.RLIMIT_NPROC)[1]
        most = TASKS if hard == resource.RLIM_INFINITY else min(TASKS, hard)
        resource.setrlimit(resource.RLIMIT_NPROC, (most, most))
    if confinement["ruled"]:
        rule(confinement["ruled"], (place["work"], place["home"]))
    if not confinement["parts"] and not confinement["ruled"]:
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


def rule(parts, folders):
    """Let this process and its children signal only each other, and change files in these folders alone.

    And in two that are everybody's: torch shares memory in one, a large file that must be on a disk
    goes to the other.
    """
    handled, scoped = CHANGES if "files" in parts else 0, SIGNALS if "processes" in parts else 0
    size = 24 if scoped else 8  # an older kernel takes the first word alone
    wanted = struct.pack("QQQ", handled, 0, scoped)[:size]
    ruleset = LIBC.syscall(ctypes.c_long(CREATE_RULESET), ctypes.c_char_p(wanted), ctypes.c_size_t(size),
                           ctypes.c_uint(0))
    call("landlock_create_ruleset", ruleset < 0)
    try:
        if handled:
            for path in (*folders, "/dev/shm", SPOOL, *DEVICES):
                allow(ruleset, path)
        call("landlock_restrict_self",
             LIBC.syscall(ctypes.c_long(RESTRICT_SELF), ctypes.c_int(ruleset), ctypes.c_uint(0)))
    finally:
        os.close(ruleset)


def allow(ruleset, path):
    """Allow changes below a folder, or to a device."""
    if not os.path.exists(path):
        return
    beneath = os.open(path, os.O_PATH | os.O_CLOEXEC)
    try:
        rights = CHANGES if os.path.isdir(path) else WRITE | TRUNCATE
        call(f"landlock_add_rule on {path}", LIBC.syscall(
            ctypes.c_long(ADD_RULE), ctypes.c_int(ruleset), ctypes.c_int(1),
            ctypes.c_char_p(struct.pack("=Qi", rights, beneath)), ctypes.c_uint(0)))
    finally:
        os.close(beneath)


def segments():
    """The bytes of memory in System V segments of this IPC namespace: they outlive who made them."""
    with contextlib.suppress(OSError, ValueError), open("/proc/sysvipc/shm") as file:
        column = next(file).split().index("rss")
        return sum(int(line.split()[column]) for line in file)
    return 0


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
    """The strictest confinement that this machine allows, and why there is no stricter one.

    What namespaces do not keep a script from is "ruled" by Landlock, where the kernel has it. "cgroup" is
    where groups can be made, if anywhere.
    """
    with tempfile.TemporaryDirectory(prefix="dpkb-") as folder:
        place = made_place(folder)
        user, parts, why = namespaces(place)
        ruled = [part for part in RULES if part not in parts and not trial(rule_if_known, part, place)]
        return {"user": user, "parts": parts, "ruled": ruled, "why": why, "cgroup": cgroup.offered()}


def namespaces(place):
    """Whether a user namespace is needed, the parts that namespaces keep a script from, why no more."""
    why = ""
    for wish in WISHES:
        for user in (False, True) if wish else (False,):
            confinement = {"user": user, "parts": list(wish)}
            refused = trial(try_out, confinement, place)
            if not refused:
                return user, list(wish), why
            why = why or refused
    return False, [], why


def rule_if_known(part, place, descriptor):
    """Try the rules of one part."""
    answer(descriptor, lambda: rule_of_part(part, place))


def rule_of_part(part, place):
    """Apply them, where the kernel knows all: an older one would take fewer of them without a word."""
    version = LIBC.syscall(ctypes.c_long(CREATE_RULESET), None, ctypes.c_size_t(0), ctypes.c_uint(1))
    call("landlock_create_ruleset", version < RULES[part])
    LIBC.prctl(NO_NEW_PRIVILEGES, 1, 0, 0, 0)
    rule((part,), (place["work"], place["home"]))


def made_place(folder):
    """The folders and the file that a view is furnished with."""
    place = {name: os.path.join(folder, name) for name in ("work", "home", "hosts")}
    for name in ("work", "home"):
        os.mkdir(place[name])
    with open(place["hosts"], "w"):
        pass
    return {**place, "spool": None}


def trial(act, what, place):
    """Do it in a process of its own, which says `ok` or why not: why it is refused, empty if it is not."""
    read, write = os.pipe()
    first = os.fork()
    if first == 0:
        act(what, place, write)
        os._exit(0)
    os.close(write)
    os.waitpid(first, 0)
    with os.fdopen(read, "rb") as heard:
        said = heard.read().decode().strip() or "it ended early"
    return "" if said == "ok" else said


def try_out(confinement, place, descriptor):
    """Unshare here and furnish in a child: only that is in the new process namespace."""
    try:
        unshare(confinement)
    except OSError as error:
        os.write(descriptor, f"{error.strerror}\n".encode())
        return
    child = os.fork()
    if child == 0:
        answer(descriptor, lambda: furnish(confinement, place, 1 << 20))
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
