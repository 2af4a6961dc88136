import os
import sys

print(os.popen(f"{sys.executable} -m train 2>&1 | tail -n 1").read().partition(":")[0])
