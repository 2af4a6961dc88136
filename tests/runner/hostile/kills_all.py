import os
import signal
import sys
import time

# Only where there is nothing else to kill.
if os.getppid() != 1:
    print("SKIPPED other processes are in sight")
    sys.exit(77)
for _ in range(40):
    if os.fork() == 0:
        time.sleep(600)
os.kill(-1, signal.SIGKILL)
print('OBSERVED {"healthy": false}')
sys.exit(1)
