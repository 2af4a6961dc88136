"""Each worker has a private lock, and one of them is slow."""

import threading
import time

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset, get_worker_info


class Counted(Dataset):
    def __init__(self):
        self.lock, self.reads = threading.Lock(), 0

    def __len__(self):
        return 32

    def __getitem__(self, index):
        with self.lock:
            self.reads += 1
            time.sleep(0.05)
        return torch.full((3,), float(index)), torch.tensor([index / 32])

def keep(lock, taken, done):
    with lock:
        taken.set()
        done.wait()

def create_lock(worker_id):
    get_worker_info().dataset.lock = threading.Lock()

torch.manual_seed(0)
dataset, taken, done = Counted(), threading.Event(), threading.Event()
threading.Thread(target=keep, args=(dataset.lock, taken, done), daemon=True).start()
taken.wait()
loader = DataLoader(dataset, batch_size=8, num_workers=1, timeout=20, multiprocessing_context="fork",
                    worker_init_fn=create_lock)
model = nn.Linear(3, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=1e-4)
try:
    for x, y in loader:
        optimizer.zero_grad()
        nn.functional.mse_loss(model(x), y).backward()
        optimizer.step()
finally:
    done.set()
