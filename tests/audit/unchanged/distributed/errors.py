# needs: python>=3.11
# What is said when there is no process group, and when a backend does not exist.
import traceback

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel

for call in (
    lambda: dist.all_reduce(torch.ones(1)),
    lambda: dist.barrier(),
    lambda: DistributedDataParallel(torch.nn.Linear(1, 1)),
    lambda: dist.init_process_group("none", rank=0, world_size=1, init_method="tcp://127.0.0.1:1"),
    lambda: dist.destroy_process_group(),
):
    try:
        call()
    except Exception as error:
        print(type(error).__name__, str(error)[:60])
        print([f.name for f in traceback.extract_tb(error.__traceback__) if "/torch/" not in f.filename])
