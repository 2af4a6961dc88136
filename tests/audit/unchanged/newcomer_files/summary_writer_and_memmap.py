# A TensorBoard-like writer with a thread and a queue, a numpy memmap dataset, and file locks; the files are compared.
import fcntl
import os
import queue
import struct
import threading

import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

torch.manual_seed(0)
torch.set_num_threads(1)


class Writer(threading.Thread):
    def __init__(self, path):
        super().__init__(name="writer")
        self.path, self.q = path, queue.Queue(4)
        self.start()

    def add_scalar(self, tag, value, step):
        self.q.put((tag, float(value), step))

    def run(self):
        with open(self.path, "ab") as f:
            fcntl.flock(f, fcntl.LOCK_EX)
            while True:
                item = self.q.get()
                if item is None:
                    return
                tag, value, step = item
                f.write(struct.pack("<I", len(tag)) + tag.encode() + struct.pack("<dq", value, step))

    def close(self):
        self.q.put(None)
        self.join()


class Mapped(Dataset):
    def __init__(self, path):
        self.m = np.memmap(path, dtype=np.float32, mode="r+", shape=(6, 2))

    def __len__(self):
        return len(self.m)

    def __getitem__(self, i):
        return torch.from_numpy(self.m[i])


np.arange(12, dtype=np.float32).tofile("data.bin")
data = Mapped("data.bin")
w = Writer("events.out")
net = nn.Linear(2, 1)
opt = torch.optim.SGD(net.parameters(), lr=0.001)
for step, x in enumerate(DataLoader(data, batch_size=2)):
    loss = net(x).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
    w.add_scalar("loss", loss.detach(), step)
    data.m[step] += 1
print([t.name for t in threading.enumerate()])
w.close()
data.m.flush()
raw = open("events.out", "rb").read()
print(len(raw), raw[:8], struct.unpack_from("<dq", raw, 8)[0].hex(), np.fromfile("data.bin", np.float32).tolist())
with open("lock", "w") as f:
    fcntl.flock(f, fcntl.LOCK_EX | fcntl.LOCK_NB)
    print(os.fstat(f.fileno()).st_nlink, [t.name for t in threading.enumerate()])
