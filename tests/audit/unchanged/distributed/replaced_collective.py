# The program replaces all_reduce, imports others by name, and passes them on by keyword.
import functools
import tempfile

import torch
import torch.distributed as dist
from torch.distributed import all_reduce, broadcast

dist.init_process_group("gloo", init_method=f"file://{tempfile.mktemp()}", rank=0, world_size=1)
real = dist.all_reduce
seen = []


def mine(tensor, op=dist.ReduceOp.SUM, group=None, async_op=False):
    seen.append(tuple(tensor.shape))
    return real(tensor, op, group, async_op)


dist.all_reduce = mine
dist.all_reduce(torch.ones(3))
all_reduce(torch.ones(2), op=dist.ReduceOp.MAX)
work = functools.partial(broadcast, src=0, async_op=True)(torch.ones(1))
work.wait()
torch.jit.script(torch.nn.ReLU())
dist.all_reduce(torch.ones(4))
print(seen, dist.all_reduce is mine)
for call in (lambda: dist.broadcast(torch.ones(1)), lambda: real(), lambda: dist.all_gather([], 1)):
    try:
        call()
    except Exception as error:
        print(type(error).__name__, str(error).split("\n")[0])
dist.destroy_process_group()
