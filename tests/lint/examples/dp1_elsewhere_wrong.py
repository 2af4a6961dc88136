"""Functions for the loader of another file."""
import random

import numpy as np
import torch


def worker_init_fn(worker_id):
    np.random.seed(np.random.get_state()[1][0] + worker_id)  # BUG


def init_workers(worker_id, num_workers, rank, seed):
    worker_seed = num_workers * rank + worker_id + seed
    random.seed(worker_seed)  # BUG
    torch.manual_seed(worker_seed)
