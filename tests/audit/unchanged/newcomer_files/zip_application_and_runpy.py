# The same training script is run as a zip application, by runpy, by exec, as a package and from standard input.
import os
import runpy
import subprocess
import sys
import zipfile

import torch

torch.set_num_threads(1)
SCRIPT = """
import sys, torch
from torch import nn
torch.manual_seed(0)
net = nn.Linear(1, 1)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
for x in torch.utils.data.DataLoader(torch.ones(2, 1)):
    opt.zero_grad()
    net(x).sum().backward()
    opt.step()
result = net.weight.item().hex()
print(__name__, result, [k for k in sorted(globals()) if k[:2] != "__"], (globals().get("__file__") or "none")[-11:], __package__, len(sys.argv))
"""
with zipfile.ZipFile("app.zip", "w") as z:
    z.writestr(zipfile.ZipInfo("__main__.py"), SCRIPT)
os.makedirs("pkg")
open("pkg/__init__.py", "w").close()
for name in ("pkg/__main__.py", "script.py"):
    with open(name, "w") as f:
        f.write(SCRIPT)
print(runpy.run_path("script.py", run_name="ran")["result"], flush=True)
exec(compile(SCRIPT, "<exec>", "exec"), {"__name__": "executed", "__package__": None})
sys.stdout.flush()
for cmd in (["app.zip"], ["-m", "pkg"], ["-"]):
    p = subprocess.run([sys.executable, "-B", *cmd], input=SCRIPT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, universal_newlines=True)
    print(cmd, p.returncode, p.stdout.strip(), repr(p.stderr))
