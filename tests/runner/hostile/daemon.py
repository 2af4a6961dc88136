import os
import sys
import time

read, write = os.pipe()
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        os.setsid()
        os.chdir("/")
        os.environ.clear()
        pid = os.fork()
        if pid == 0:
            os.write(write, b"x")
            os.closerange(0, 1024)
            time.sleep(600)
        os._exit(0)
    os._exit(0)
os.read(read, 1)
print('OBSERVED {"healthy": false}')
sys.exit(1)
