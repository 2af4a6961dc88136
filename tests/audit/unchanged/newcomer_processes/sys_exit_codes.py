# Every way to leave a Python child process and the exit code that the parent sees; the own exit code is 41.
# ends: 41
import subprocess
import sys

import torch

torch.set_num_threads(1)
ways = {
    "exit None": "import sys; sys.exit()",
    "exit 3": "import sys; sys.exit(3)",
    "exit -1": "import sys; sys.exit(-1)",
    "exit 300": "import sys; sys.exit(300)",
    "exit text": "import sys; sys.exit('a message')",
    "exit object": "import sys; sys.exit([1, 2])",
    "raise": "raise ValueError('x')",
    "raise SystemExit": "raise SystemExit(5)",
    "KeyboardInterrupt": "raise KeyboardInterrupt",
    "os._exit": "import os; print('lost', end=''); os._exit(6)",
    "SIGTERM": "import os; os.kill(os.getpid(), 15)",
    "SIGKILL": "import os; os.kill(os.getpid(), 9)",
    "SIGINT": "import os, time; os.kill(os.getpid(), 2); time.sleep(1)",
    "SyntaxError": "def",
    "atexit raises": "import atexit; atexit.register(lambda: 1 / 0)",
    "atexit exits": "import atexit, os; atexit.register(os._exit, 9)",
    "excepthook": "import sys; sys.excepthook = lambda t, v, tb: print('hook', t.__name__); 1 / 0",
    "thread raises": "import threading; t = threading.Thread(target=lambda: 1 / 0); t.start(); t.join(); print('on')",
    "closed stdout": "import sys; sys.stdout.close(); sys.exit(4)",
    "unraisable": "class A:\n def __del__(self): 1 / 0\na = A(); del a; print('on')",
}
for name, code in ways.items():
    p = subprocess.run([sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, universal_newlines=True)
    last = p.stderr.strip().splitlines()[-1:] or [""]
    print(name, p.returncode, repr(p.stdout), last[0], len(p.stderr.splitlines()))
sys.exit(41)
