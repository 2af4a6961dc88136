# Another thread raises an exception in the main thread, as func_timeout, stopit and job servers do.
import ctypes
import threading
import time

import torch


class Stop(Exception):
    pass


main = ctypes.c_ulong(threading.get_ident())
model = torch.nn.Sequential(*[torch.nn.Linear(8, 8) for _ in range(20)])
optimizer = torch.optim.SGD(model.parameters(), lr=0.0)
x = torch.ones(2, 8)


def fire(delay):
    time.sleep(delay)
    ctypes.pythonapi.PyThreadState_SetAsyncExc(main, ctypes.py_object(Stop))


lost = 0
for number in range(150):
    thread = threading.Thread(target=fire, args=(0.0005 + 0.00003 * number,))
    try:
        thread.start()
        while thread.is_alive():
            loss = torch.nn.functional.mse_loss(model(x), x)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        for _ in range(1000):
            pass
        lost += 1
    except Stop:
        pass
    thread.join()
print("lost", lost)
