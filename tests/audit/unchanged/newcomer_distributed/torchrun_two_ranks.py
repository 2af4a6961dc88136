# torchrun starts two ranks of a generated script; their output files, the exit code, and a failing run are compared.
# needs: torch>=1.10
import subprocess
import sys

SCRIPT = """
import os, sys, torch
import torch.distributed as dist
from torch import nn
torch.set_num_threads(1)
dist.init_process_group("gloo")
rank = dist.get_rank()
torch.manual_seed(0)
net = nn.parallel.DistributedDataParallel(nn.Linear(2, 1))
opt = torch.optim.SGD(net.parameters(), lr=0.1)
for i in range(3):
    opt.zero_grad()
    net(torch.full((1, 2), float(rank + i))).sum().backward()
    opt.step()
with open(f"rank{rank}.txt", "w") as f:
    print(net.module.weight.tolist(), os.environ["LOCAL_RANK"], os.environ["WORLD_SIZE"], sys.argv[1:], file=f)
dist.barrier()
dist.destroy_process_group()
"""
with open("train.py", "w") as f:
    f.write(SCRIPT)
cmd = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc_per_node", "2", "train.py", "--flag", "1"]
p = subprocess.run(cmd, stdout=subprocess.PIPE, stderr=subprocess.PIPE, universal_newlines=True)
print(p.returncode, repr(p.stdout))
for r in (0, 1):
    print(open(f"rank{r}.txt").read().strip())
