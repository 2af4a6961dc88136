# Writes a CSV log, a JSON lines journal and checkpoints with rotation; at the end the folder is listed with contents.
# needs: torch>=1.10
import csv
import hashlib
import json
import os

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
torch.set_num_threads(1)
net = nn.Sequential(nn.Linear(2, 3), nn.Tanh(), nn.Linear(3, 1))
opt = torch.optim.Adam(net.parameters(), lr=0.05)
data = TensorDataset(torch.randn(8, 2), torch.randn(8, 1))
os.mkdir("ckpt")
with open("log.csv", "w", newline="") as f, open("journal.jsonl", "a") as j:
    writer = csv.DictWriter(f, ["epoch", "loss"])
    writer.writeheader()
    for epoch in range(4):
        total = 0.0
        for x, y in DataLoader(data, batch_size=4, shuffle=True):
            loss = nn.functional.mse_loss(net(x), y)
            opt.zero_grad()
            loss.backward()
            opt.step()
            total += loss.item()
        writer.writerow({"epoch": epoch, "loss": total})
        f.flush()
        j.write(json.dumps({"epoch": epoch, "loss": total, "size": os.path.getsize("log.csv")}) + "\n")
        torch.save({"net": net.state_dict(), "opt": opt.state_dict(), "epoch": epoch}, f"ckpt/{epoch}.pt")
        if epoch > 1:
            os.remove(f"ckpt/{epoch - 2}.pt")
        tmp = "best.tmp"
        torch.save(net.state_dict(), tmp)
        os.replace(tmp, "best.pt")
for root, _, names in sorted(os.walk(".")):
    for n in sorted(names):
        path = os.path.join(root, n)
        with open(path, "rb") as f:
            print(path, os.path.getsize(path), oct(os.stat(path).st_mode), hashlib.sha256(f.read()).hexdigest()[:16])
print(open("journal.jsonl").read())
