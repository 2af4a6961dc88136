import contextlib
import os
import signal
import time

if os.getppid():
    with contextlib.suppress(PermissionError):
        os.kill(os.getppid(), signal.SIGKILL)
time.sleep(600)
