import os
import sys

child = os.fork()
if not child:
    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
    import worker

    sys.stdout.flush()
    os._exit(0)
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
