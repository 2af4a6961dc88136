import contextlib
import os
import signal
import time

for number in (signal.SIGINT, signal.SIGTERM, signal.SIGKILL):
    with contextlib.suppress(PermissionError):
        os.kill(os.getppid(), number)
time.sleep(600)
