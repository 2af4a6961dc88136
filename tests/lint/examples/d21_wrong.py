import torch.distributed as dist
from accelerate import Accelerator

accelerator = Accelerator()


def save(rank, state):
    if dist.get_rank() == 0:
        state.save()
        dist.barrier()  # BUG
    if accelerator.is_main_process:
        accelerator.wait_for_everyone()  # BUG
