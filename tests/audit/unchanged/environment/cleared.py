# quick
# A program clears its environment, changes sys.path and forgets modules.
import os
import subprocess
import sys

import torch
from torch.utils.data import DataLoader

os.environ.clear()
sys.path[:] = [path for path in sys.path if "lib" in path and "dpkb" not in path]
sys.meta_path[:] = [
    finder
    for finder in sys.meta_path
    if getattr(finder, "__module__", "").startswith(("_frozen", "importlib"))
]
for name in [name for name in sys.modules if name.startswith("dpkb_audit.")]:
    del sys.modules[name]
torch.manual_seed(0)
layer = torch.nn.Linear(1, 1)
optimizer = torch.optim.SGD(layer.parameters(), lr=0.1)
for epoch in range(3):
    for x in DataLoader(torch.ones(4, 1), 2, num_workers=1):
        optimizer.zero_grad()
        torch.nn.functional.mse_loss(layer(x), torch.ones(2)).backward()
        torch.nn.utils.clip_grad_norm_(layer.parameters(), 1.0)
        optimizer.step()
torch.save(layer.state_dict(), "layer.pt")
layer.load_state_dict(torch.load("layer.pt"))
os.remove("layer.pt")  # torch 1.8 writes the addresses of tensors into it
print(subprocess.run([sys.executable, "-c", "import os; print(len(os.environ) < 3)"]).returncode)
