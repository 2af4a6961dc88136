import torch.distributed as dist
from accelerate import Accelerator

accelerator = Accelerator()


def save(rank, state):
    if dist.get_rank() == 0:
        state.save()
        dist.barrier()  # BUG
    if accelerator.is_main_process:
        accelerator.wait_for_everyone()  # BUG


def average(value):
    dist.all_reduce(value, group=dist.group.WORLD)
    return value / dist.get_world_size()


def validate(gpu, correct, state):
    if gpu == 0:
        print(average(correct))  # BUG
        state.save()


def summarize(value):
    if dist.get_rank() != 0:
        return
    dist.all_reduce(value)  # BUG
    print(value)
