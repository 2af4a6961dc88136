import os

import torch.distributed as dist


def setup(rank, world_size):
    os.environ["MASTER_ADDR"] = "localhost"
    os.environ["MASTER_PORT"] = "12355"  # BUG
    dist.init_process_group("gloo", rank=rank, world_size=world_size)


def setup_by_address(rank, world_size):
    dist.init_process_group("gloo", init_method="tcp://localhost:23456", rank=rank, world_size=world_size)  # BUG
