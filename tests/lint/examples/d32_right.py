import os

import torch.distributed as dist


def setup(rank, world_size, port):
    os.environ["MASTER_PORT"] = str(port)
    os.environ.setdefault("MASTER_ADDR", "localhost")
    dist.init_process_group("gloo", rank=rank, world_size=world_size)
