import ctypes
import time

# Takes the disk, and leaves the size of the file at 0: FALLOC_FL_KEEP_SIZE.
libc = ctypes.CDLL(None)
libc.fallocate(1, 1, ctypes.c_long(0), ctypes.c_long(64 << 20))
time.sleep(600)
