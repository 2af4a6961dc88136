"""Confines scripts with Linux namespaces.

Runs under any Python from 3.8 on; imports only the standard library.

A script has a read-only view of the file system except for its folders, a private /dev, /dev/shm and System V
memory, sees no other process, and has a network of a loopback interface and nothing else: all of these or none.
A confinement is {"active": bool, "user": bool}. user: in a user namespace; without it, the kernel refuses the
others to an ordinary user.
"""

from __future__ import annotations

import contextlib
import os
import resource
import signal

MYPY = False
if MYPY:
    from typing import TypedDict

    from dpkb.guest import kernel, processes

    class Confinement(TypedDict):
        active: bool
        user: bool

    Folders = dict[str, str | None]
else:
    import kernel
    import processes

NAMESPACES = kernel.CLONE_NEWNS | kernel.CLONE_NEWIPC | kernel.CLONE_NEWPID | kernel.CLONE_NEWNET
# What a root script keeps: it can use its files and change users. It cannot mount, open files by handle
# (CAP_DAC_READ_SEARCH), trace other processes (CAP_SYS_PTRACE), make devices or raise its limits.
KEPT_CAPABILITIES = (
    kernel.CAP_CHOWN,
    kernel.CAP_DAC_OVERRIDE,
    kernel.CAP_FOWNER,
    kernel.CAP_FSETID,
    kernel.CAP_KILL,
    kernel.CAP_SETGID,
    kernel.CAP_SETUID,
    kernel.CAP_NET_BIND_SERVICE,
    kernel.CAP_IPC_LOCK,
)
VAR_TMP = "/var/tmp"
DEVICES = ("null", "zero", "full", "random", "urandom", "tty")
LINKS = {
    "stdin": "/proc/self/fd/0",
    "stdout": "/proc/self/fd/1",
    "stderr": "/proc/self/fd/2",
    "fd": "/proc/self/fd",
    "ptmx": "pts/ptmx",
}


def unshare(user: bool) -> None:
    """Move this process, or its future children, into new namespaces."""
    uid, gid = os.getuid(), os.getgid()
    kernel.unshare(NAMESPACES | (kernel.CLONE_NEWUSER if user else 0))
    if user:
        for name, text in (
            ("setgroups", "deny"),
            ("uid_map", f"{uid} {uid} 1"),
            ("gid_map", f"{gid} {gid} 1"),
        ):
            with open(f"/proc/self/{name}", "w") as file:
                file.write(text)


def build_view(confinement: Confinement, folders: Folders, shm_bytes: int) -> None:
    """Mount the files and set up the network that the new namespaces see.

    folders: the paths "work", "home", "hosts", and "spool", which becomes /var/tmp.
    """
    kernel.mount_setattr(
        "/", kernel.AT_RECURSIVE, kernel.MOUNT_ATTR_RDONLY | kernel.MOUNT_ATTR_NODEV, 0, kernel.MS_PRIVATE
    )
    mount_proc(confinement["user"])
    mount_dev(shm_bytes)
    for path, target in (
        (folders["work"], folders["work"]),
        (folders["home"], folders["home"]),
        (folders["spool"], VAR_TMP),
    ):
        if path and target:
            kernel.mount(path, target, "", kernel.MS_BIND)
            kernel.mount_setattr(target, 0, 0, kernel.MOUNT_ATTR_RDONLY)
    kernel.bring_loopback_up()
    if folders["hosts"] and os.path.exists("/etc/hosts"):
        # gloo looks up the name of this host, which must lead to the loopback address.
        kernel.mount(folders["hosts"], "/etc/hosts", "", kernel.MS_BIND)


def mount_proc(user: bool) -> None:
    """Mount the /proc of the process namespace, and make its settings read-only."""
    kernel.mount("proc", "/proc", "proc", kernel.MS_NOSUID | kernel.MS_NODEV | kernel.MS_NOEXEC)
    if user:  # otherwise this setting would be that of the whole machine
        with contextlib.suppress(OSError), open("/proc/sys/user/max_user_namespaces", "w") as file:
            file.write("0")
    for path in ("/proc/sys", "/proc/sysrq-trigger", "/proc/irq", "/proc/bus"):
        if os.path.exists(path):
            kernel.mount(path, path, "", kernel.MS_BIND)
            kernel.mount_setattr(path, 0, kernel.MOUNT_ATTR_RDONLY, 0)


def mount_dev(shm_bytes: int) -> None:
    """Mount a private /dev without disks and without the terminals of other users."""
    private, shared = kernel.MS_NOSUID | kernel.MS_NOEXEC, os.path.isdir("/dev/shm")
    before = os.open("/dev", os.O_PATH)
    kernel.mount("tmpfs", "/dev", "tmpfs", private, "size=64k,mode=755")
    for name in DEVICES:
        source, target = f"/proc/self/fd/{before}/{name}", "/dev/" + name
        if not os.path.exists(source):
            continue
        os.close(os.open(target, os.O_CREAT | os.O_WRONLY))
        kernel.mount(source, target, "", kernel.MS_BIND)
        kernel.mount_setattr(target, 0, 0, kernel.MOUNT_ATTR_NODEV)
    os.close(before)
    for name, leads_to in LINKS.items():
        os.symlink(leads_to, "/dev/" + name)
    os.mkdir("/dev/pts")
    with contextlib.suppress(OSError):  # without it, the script can open no terminals
        kernel.mount("devpts", "/dev/pts", "devpts", private, "newinstance,ptmxmode=0666,mode=620")
    if shared:
        os.mkdir("/dev/shm")
        kernel.mount(
            "tmpfs", "/dev/shm", "tmpfs", kernel.MS_NOSUID | kernel.MS_NODEV, f"size={shm_bytes},mode=1777"
        )
    kernel.mount_setattr("/dev", 0, kernel.MOUNT_ATTR_RDONLY, 0)


def protect_supervisor() -> None:
    """Make sure that a script can neither end nor use this process, the first one in its namespaces."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # a first process gets only signals that it handles
    kernel.prctl(kernel.PR_SET_DUMPABLE, 0)
    kernel.drop_capabilities(())


def give_up_privileges(confinement: Confinement) -> None:
    """Drop the rights that would let the script, which this process becomes next, undo its confinement."""
    kernel.prctl(kernel.PR_SET_PDEATHSIG, signal.SIGKILL)
    kernel.prctl(kernel.PR_SET_NO_NEW_PRIVS, 1)
    if confinement["user"]:  # outside a user namespace, this limit would count all processes of the user
        hard = resource.getrlimit(resource.RLIMIT_NPROC)[1]
        max_tasks = processes.MAX_TASKS if hard == resource.RLIM_INFINITY else min(processes.MAX_TASKS, hard)
        resource.setrlimit(resource.RLIMIT_NPROC, (max_tasks, max_tasks))
    if confinement["active"]:
        kernel.drop_capabilities(KEPT_CAPABILITIES if os.geteuid() == 0 else ())
