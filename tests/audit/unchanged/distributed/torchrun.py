# needs: torch>=2.0
# run: sh -c 'python -m torch.distributed.run --standalone --nproc-per-node 2 --log-dir $TMPDIR/logs --redirects 3 FILE'
# Two ranks of torchrun write their results into files.
import os

import torch
import torch.distributed as dist

dist.init_process_group("gloo")
rank = dist.get_rank()
torch.manual_seed(0)
model = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(2, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for _ in range(3):
    optimizer.zero_grad()
    model(torch.full((1, 2), float(rank))).sum().backward()
    optimizer.step()
with open(f"rank{rank}", "w") as file:
    print(model.module.weight.sum().item().hex(), os.environ["WORLD_SIZE"], file=file)
dist.destroy_process_group()
