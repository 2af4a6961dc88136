import os
import time

# Doubles seven times: 128 processes at most, also where nothing stops it.
for _ in range(7):
    try:
        os.fork()
    except OSError:
        break
time.sleep(600)
