import contextlib
import os
import signal
import time

# 0 where its parent is out of sight: then this is its own group.
with contextlib.suppress(PermissionError):
    os.kill(os.getppid(), signal.SIGSTOP)
time.sleep(600)
