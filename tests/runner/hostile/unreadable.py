import ctypes
import mmap
import time

# Nobody but root may look into this process: PR_SET_DUMPABLE.
ctypes.CDLL(None).prctl(4, 0, 0, 0, 0)
held = []
while len(held) < 64:
    held.append(mmap.mmap(-1, 8 << 20, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS))
    for page in range(0, 8 << 20, 4096):
        held[-1][page] = 1
time.sleep(600)
