import mmap
import os
import time

# Memory that is mapped here and was filled by children that have ended: in no process's figures.
held = []
for _ in range(64):
    held.append(mmap.mmap(-1, 8 << 20, flags=mmap.MAP_SHARED | mmap.MAP_ANONYMOUS))
    if os.fork() == 0:
        for page in range(0, 8 << 20, 4096):
            held[-1][page] = 1
        os._exit(0)
    os.wait()
time.sleep(600)
