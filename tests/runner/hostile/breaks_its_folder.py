import contextlib
import os
import socket
import sys
import time

here = os.getcwd()
os.mkfifo("fifo")
socket.socket(socket.AF_UNIX).bind("socket")
os.symlink("/", "root")
os.symlink("loop", "loop")
os.mkdir("closed")
os.close(os.open("closed/file", os.O_CREAT))
os.chmod("closed", 0)
for act in (lambda: os.rename(here, here + "-moved"), lambda: os.rmdir(os.path.expanduser("~"))):
    with contextlib.suppress(OSError):
        act()
        sys.exit("its own folder could be moved or removed")
for _ in range(300):  # more than a path may have
    os.mkdir("n" * 255)
    os.chdir("n" * 255)
os.chmod(here, 0)
time.sleep(600)
