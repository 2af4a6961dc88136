import torch
from torch import nn
torch.manual_seed(0)
x = torch.randn(256, 10); y = (x[:, 0] > 0).long()
body, head = nn.Linear(10, 16), nn.Linear(16, 2)
optimizer = torch.optim.AdamW([*body.parameters(), *head.parameters()], lr=1e-2, fused=True)
for step in range(60):
    if step == 10:
        for p in body.parameters():
            p.requires_grad = False
    i = torch.randint(0, 256, (32,))
    loss = nn.functional.cross_entropy(head(torch.relu(body(x[i]))), y[i])
    optimizer.zero_grad(set_to_none=False)
    loss.backward()
    optimizer.step()
print(loss.item())
