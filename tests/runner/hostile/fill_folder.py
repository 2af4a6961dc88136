import os
import time

for number in range(64):
    with open(f"part{number}", "wb") as file:
        os.posix_fallocate(file.fileno(), 0, 8 << 20)
time.sleep(600)
