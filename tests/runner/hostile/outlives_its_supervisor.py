import os
import signal
import time

# Leaves the session and the marks of its environment behind, then ends the process that watches over it.
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        os.setsid()
        os.execve("/bin/sleep", ["sleep", "600"], {})
    os._exit(0)
os.wait()
time.sleep(0.2)
os.kill(os.getppid(), signal.SIGKILL)
time.sleep(600)
