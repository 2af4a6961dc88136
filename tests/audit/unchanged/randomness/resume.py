# Checkpoints with all random states; their bytes; autocast and a scaler.
# needs: torch>=2.4
import hashlib

import torch
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(1)
model = torch.nn.Sequential(torch.nn.Linear(4, 4), torch.nn.Dropout(0.2), torch.nn.Linear(4, 2))
optimizer = torch.optim.AdamW(model.parameters(), lr=0.01)
scheduler = torch.optim.lr_scheduler.OneCycleLR(optimizer, 0.1, total_steps=20)
generator = torch.Generator().manual_seed(3)
loader = DataLoader(
    TensorDataset(torch.randn(40, 4), torch.randint(2, (40,))), 4, shuffle=True, generator=generator
)
scaler = torch.amp.GradScaler("cpu")
for _ in range(2):
    for x, y in loader:
        with torch.autocast("cpu", torch.bfloat16):
            loss = torch.nn.functional.cross_entropy(model(x), y)
        optimizer.zero_grad()
        scaler.scale(loss).backward()
        scaler.unscale_(optimizer)
        torch.nn.utils.clip_grad_norm_(model.parameters(), 0.5)
        scaler.step(optimizer)
        scaler.update()
        scheduler.step()
    state = {"model": model.state_dict(), "optimizer": optimizer.state_dict(), "rng": torch.get_rng_state()}
    torch.save(state, "state.pt")
    with open("state.pt", "rb") as file:
        print(hashlib.md5(file.read()).hexdigest())
    again = torch.load("state.pt")
    model.load_state_dict(again["model"])
    optimizer.load_state_dict(again["optimizer"])
    torch.set_rng_state(again["rng"])
print(loss.item().hex(), torch.rand(1).item().hex())
