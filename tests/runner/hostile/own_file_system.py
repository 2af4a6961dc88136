import ctypes
import os
import sys
import time

# Memory in a file system that belongs to no process and is hidden: in namespaces of the script's own.
libc = ctypes.CDLL(None, use_errno=True)
ready, mapped = os.pipe(), os.pipe()
os.mkdir("inside")
os.chmod("inside", 0o777)
child = os.fork()
if child == 0:
    refused = libc.unshare(0x10000000 | 0x20000)
    os.write(ready[1], b"x")
    os.read(mapped[0], 1)
    if not refused and os.getuid():  # root was mapped to another user
        os.setgid(0)
        os.setuid(0)
    if refused or libc.mount(b"own", b"inside", b"tmpfs", ctypes.c_ulong(0), b"size=1g,mode=777"):
        print("refused", flush=True)
        time.sleep(600)
    with open("inside/file", "wb") as file:
        for _ in range(300):
            file.write(b"x" * (1 << 20))
    os.kill(os.getppid(), 9)
os.read(ready[0], 1)
try:
    # Not 0: to hand that on takes a capability that a root script has lost.
    for kind, own in (("uid", os.getuid()), ("gid", os.getgid())):
        with open(f"/proc/{child}/{kind}_map", "w") as file:
            file.write(f"0 {own or 1} 1")
except OSError as error:
    print(error, file=sys.stderr)
os.write(mapped[1], b"x")
time.sleep(600)
