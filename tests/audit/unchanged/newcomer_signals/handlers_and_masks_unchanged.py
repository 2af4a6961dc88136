# Which signal handlers, masks, timers, wakeup descriptors and exception hooks a training program finds.
import faulthandler
import gc
import os
import signal
import sys
import threading
import warnings

import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)


def show():
    print({s.name: str(signal.getsignal(s)) for s in signal.valid_signals() if isinstance(s, signal.Signals)
           and signal.getsignal(s) not in (signal.SIG_DFL, None)})
    print(signal.pthread_sigmask(signal.SIG_BLOCK, []), signal.getitimer(signal.ITIMER_REAL), signal.set_wakeup_fd(-1))
    print(sys.excepthook is sys.__excepthook__, sys.unraisablehook is sys.__unraisablehook__, sys.displayhook is sys.__displayhook__)
    print(threading.excepthook.__module__, faulthandler.is_enabled(), sys.gettrace(), sys.getprofile(), threading._profile_hook)
    print([t.name for t in threading.enumerate()], len(gc.callbacks), gc.get_threshold(), sys.getswitchinterval())
    print(sys.getrecursionlimit(), sys.stdout is sys.__stdout__, sys.stderr is sys.__stderr__, sys.stdin is sys.__stdin__)
    print(sys.stdout.encoding, sys.stdout.line_buffering, sys.stdout.errors, sys.stderr.errors, sys.stdout.isatty())
    print(os.getsid(0) == os.getpgid(0), os.get_blocking(1), os.get_inheritable(2), len(warnings.filters) > 0)
    print(sys.is_finalizing(), sys.get_asyncgen_hooks().firstiter, sys.flags.dev_mode, sys.warnoptions)


show()
net = nn.Linear(1, 1)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
for x in torch.utils.data.DataLoader(torch.ones(2, 1)):
    net(x).sum().backward()
    opt.step()
show()
