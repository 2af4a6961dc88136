import mmap
import os
import time

# In an orphan, and partly in shared memory: both have to be counted.
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        held = []
        while len(held) < 64:
            for flags in (mmap.MAP_PRIVATE, mmap.MAP_SHARED):
                held.append(mmap.mmap(-1, 8 << 20, flags=flags | mmap.MAP_ANONYMOUS))
                for page in range(0, 8 << 20, 4096):
                    held[-1][page] = 1
        time.sleep(600)
    os._exit(0)
os.wait()
time.sleep(600)
