import contextlib
import os
import signal
import time

# The supervisor first says that the script has started. If it is stopped before, it "does not answer".
time.sleep(0.5)
# 0 where its parent is out of sight: then this is its own group.
with contextlib.suppress(PermissionError):
    os.kill(os.getppid(), signal.SIGSTOP)
time.sleep(600)
