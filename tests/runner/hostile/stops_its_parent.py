import contextlib
import os
import signal
import time

# The supervisor first says that the script has started. If it is stopped before, it "does not answer".
time.sleep(0.5)
# A first process of a namespace, which ignores it, is out of reach.
with contextlib.suppress(PermissionError):
    os.kill(os.getppid(), signal.SIGSTOP)
time.sleep(600)
