import os
import time

# Memory that no process has mapped.
held = [os.memfd_create(str(number)) for number in range(8)]
for each in held:
    for _ in range(64):
        os.write(each, b"x" * (1 << 20))
time.sleep(600)
