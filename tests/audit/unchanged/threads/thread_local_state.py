# Names and number of threads, gradient modes of each, and a thread that outlives the main one.
import threading
import time

import torch
from torch.utils.data import DataLoader

print(threading.active_count(), [thread.name for thread in threading.enumerate()])
for _ in DataLoader(torch.ones(4, 1), 2, num_workers=1):
    pass
while threading.active_count() > 1:  # the thread that fed the worker ends a little later
    time.sleep(0.01)


def look():
    with torch.no_grad():
        layer = torch.nn.Linear(1, 1)
        layer(torch.ones(1, 1))
    print(torch.is_grad_enabled(), threading.current_thread().name)


thread = threading.Thread(target=look, name="mine")
with torch.no_grad():
    thread.start()
    thread.join()
threading.Thread(target=look, name="last").start()
