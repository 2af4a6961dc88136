from concurrent.futures import ThreadPoolExecutor

import torch
from torch.utils.data import DataLoader, TensorDataset


def first():
    batches = iter(DataLoader(TensorDataset(torch.arange(8))))
    return batches.next()


with ThreadPoolExecutor(1) as pool:
    print(type(pool.submit(first).exception()).__name__)
