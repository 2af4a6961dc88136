"""A control group (cgroup v2) of a script's own, in which the kernel counts memory and processes.

Imported by supervisor.py, also under the interpreter that the scripts run with (Python 3.8 or later, no
dpkb there). A group can be made where the machine's owner lets this user make one: as root on most
machines, and in the session of a user that systemd runs.
"""

import contextlib
import os
import time

NEEDED = {"memory", "pids"}


def offered():
    """The nearest group that this process may make groups in, with memory and processes counted; or None."""
    with contextlib.suppress(OSError, ValueError, StopIteration):
        with open("/proc/self/mounts") as mounts:
            top = next(line.split()[1] for line in mounts if line.split()[2] == "cgroup2")
        with open("/proc/self/cgroup") as groups:
            own = next(line[3:].strip() for line in groups if line.startswith("0::/"))
        folder = top + own.rstrip("/")
        while folder.startswith(top) and "/../" not in folder + "/":
            if lets_make(folder):
                return folder
            folder = os.path.dirname(folder)
    return None


def lets_make(folder):
    """Whether a group can be made there, and a process of this group moved to it. Tried."""
    try:
        with open(f"{folder}/cgroup.subtree_control") as file:
            if not set(file.read().split()).issuperset(NEEDED):
                return False
        name = f"dpkb-trial-{os.getpid()}"
        group = Group({"parent": folder, "name": name, "memory": 64 << 20, "tasks": 64})
    except OSError:
        return False
    child = os.fork()
    if child == 0:
        try:
            group.join()
        except OSError:
            os._exit(1)
        os._exit(0)
    refused = os.waitpid(child, 0)[1]
    group.end()
    return not refused


class Group:
    """A group for the processes of one script: what they keep in memory together, and how many they are."""

    def __init__(self, asked):
        """asked: the "parent" folder, a new "name" in it, the bytes of "memory", and processes and threads
        as "tasks". Raises OSError where the kernel says no."""
        self.name = asked["name"]
        # By descriptors: soon after, the file system in view is read-only.
        self.parent = os.open(asked["parent"], os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            os.mkdir(self.name, dir_fd=self.parent)
        except OSError:
            os.close(self.parent)
            raise
        self.folder = os.open(self.name, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC, dir_fd=self.parent)
        try:
            self.write("memory.max", asked["memory"])
            self.write("memory.oom.group", 1)
            self.write("pids.max", asked["tasks"])
            with contextlib.suppress(FileNotFoundError):  # a machine that never swaps
                self.write("memory.swap.max", 0)
        except OSError:
            self.end()
            raise

    def write(self, name, value):
        """Write a number to one of the group's files."""
        file = os.open(name, os.O_WRONLY | os.O_CLOEXEC, dir_fd=self.folder)
        try:
            os.write(file, str(value).encode())
        finally:
            os.close(file)

    def join(self):
        """Move this process into the group, and let go of it: the script is to hold no way to it."""
        self.write("cgroup.procs", 0)
        self.close()

    def was_full(self):
        """Whether the kernel ended processes of the group because its memory was full."""
        file = os.open("memory.events", os.O_RDONLY | os.O_CLOEXEC, dir_fd=self.folder)
        with os.fdopen(file) as events:
            return any(name == "oom_kill" and int(count) for name, count in map(str.split, events))

    def end(self):
        """Kill what is left in the group, and remove it."""
        with contextlib.suppress(OSError):  # before Linux 5.14; all were killed one by one
            self.write("cgroup.kill", 1)
        patience = time.monotonic() + 5.0
        while time.monotonic() < patience:
            try:
                os.rmdir(self.name, dir_fd=self.parent)
                break
            except FileNotFoundError:
                break
            except OSError:  # the last are still ending
                time.sleep(0.01)
        self.close()

    def close(self):
        """Let go of the group's folders."""
        os.close(self.folder)
        os.close(self.parent)
