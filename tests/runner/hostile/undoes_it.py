import ctypes
import json
import os
import stat
import sys

libc = ctypes.CDLL(None, use_errno=True)
done = []
REMOUNT, BIND = 32, 4096


def remounted():
    """Whether the file system became writable again."""
    return libc.mount(b"", b"/", b"", ctypes.c_ulong(REMOUNT | BIND), b"") == 0


def tried(what, act, *arguments):
    """Note it, if the kernel lets it happen."""
    try:
        act(*arguments)
        done.append(what)
    except OSError:
        pass


if remounted():
    done.append("remount")
for path in ("/proc/sys/kernel/core_pattern", "/proc/sysrq-trigger"):
    if os.path.exists(path) and os.access(path, os.W_OK):
        done.append(path)
tried("go before others", os.nice, -5)
tried("real time", os.sched_setscheduler, 0, os.SCHED_FIFO, os.sched_param(1))
for folder, _, names in os.walk("/dev"):
    for path in (os.path.join(folder, name) for name in names):
        if stat.S_ISBLK(os.lstat(path).st_mode):
            tried(path, os.open, path, os.O_RDONLY)
terminal = os.environ["HOSTILE_TERMINAL"]
if os.path.exists(terminal):
    tried(terminal, os.open, terminal, os.O_WRONLY | os.O_NOCTTY)
if libc.unshare(0x10000000 | 0x20000) == 0 and remounted():
    done.append("remount in a user namespace")
print("OBSERVED", json.dumps({"healthy": False, "done": done}))
sys.exit(1)
