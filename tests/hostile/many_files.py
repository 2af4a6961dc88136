import os
import time

first = os.open("first", os.O_CREAT | os.O_WRONLY)
for folder in range(11):
    os.mkdir(str(folder))
    os.link("first", f"{folder}/first")
    for number in range(10_000):
        os.symlink("x", f"{folder}/{number}")
time.sleep(600)
