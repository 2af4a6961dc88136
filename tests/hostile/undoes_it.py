import ctypes
import json
import os
import sys

libc = ctypes.CDLL(None, use_errno=True)
done = []
REMOUNT, BIND = 32, 4096

def remounted():
    """Whether the file system could be made writable again."""
    return libc.mount(b"", b"/", b"", ctypes.c_ulong(REMOUNT | BIND), b"") == 0


if remounted():
    done.append("remount")
if libc.unshare(0x10000000 | 0x20000) == 0 and remounted():
    done.append("remount in a user namespace")
for path in ("/proc/sys/kernel/core_pattern", "/proc/sysrq-trigger"):
    if os.path.exists(path) and os.access(path, os.W_OK):
        done.append(path)
print("OBSERVED", json.dumps({"healthy": False, "done": done}))
sys.exit(1)
