# needs: torch>=2.4
# A collective in the middle of a compiled function, in one graph.
import tempfile

import torch
import torch.distributed as dist

dist.init_process_group("gloo", init_method=f"file://{tempfile.mkdtemp()}/store", rank=0, world_size=1)


@torch.compile(backend="eager", fullgraph=True)
def reduce(x):
    dist.all_reduce(x)
    return x * 2


@torch.compile(backend="eager", fullgraph=True)
def gather(x):
    out = torch.empty(2)
    dist.all_gather_into_tensor(out, x)
    return out + 1


print(reduce(torch.ones(2)).tolist())
print(gather(torch.ones(2)).tolist())
dist.destroy_process_group()
