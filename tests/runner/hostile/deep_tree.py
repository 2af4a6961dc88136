import os
import time

for _ in range(3000):
    os.mkdir("deeper")
    os.chdir("deeper")
time.sleep(600)
