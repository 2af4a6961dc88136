import os
import time

held = []
for number in range(64):
    held.append(os.open(f"part{number}", os.O_CREAT | os.O_WRONLY))
    os.unlink(f"part{number}")
    os.posix_fallocate(held[-1], 0, 8 << 20)
time.sleep(600)
