# Another thread raises an exception in the main thread, as func_timeout, stopit and job servers do.
import ctypes
import threading
import time

import torch


class Stop(Exception):
    pass


torch.set_grad_enabled(False)
main = ctypes.c_ulong(threading.get_ident())
model = torch.nn.Sequential(*[torch.nn.Linear(4, 4) for _ in range(20)])
x = torch.ones(2, 4)
begun, fired = [], []


def fire(delay, number):
    while number not in begun:
        time.sleep(0.0002)
    time.sleep(delay)
    fired.append(number)
    ctypes.pythonapi.PyThreadState_SetAsyncExc(main, ctypes.py_object(Stop))


lost = 0
for number in range(200):
    thread = threading.Thread(target=fire, args=(0.001 + 0.00002 * number, number))
    thread.start()
    try:
        begun.append(number)
        while number not in fired:
            torch.nn.functional.mse_loss(model(x), x)
        end = time.monotonic() + 1
        while time.monotonic() < end:
            pass
        lost += 1
    except Stop:
        pass
    thread.join()
print("lost", lost)
