import os
import time

for folder in range(3):
    os.mkdir(str(folder))
    os.close(os.open(f"{folder}/first", os.O_CREAT | os.O_WRONLY))
    for number in range(1_000):
        os.link(f"{folder}/first", f"{folder}/{number}")
time.sleep(600)
