# needs: torch>=2.1
# Everything is created on the meta device by default.
import torch

torch.set_default_device("meta")
model = torch.nn.Sequential(
    torch.nn.Linear(4, 4), torch.nn.LayerNorm(4), torch.nn.Dropout(0.1), torch.nn.Linear(4, 2)
)
optimizer = torch.optim.AdamW(model.parameters())
for _ in range(3):
    loss = torch.nn.functional.cross_entropy(model(torch.ones(4, 4)), torch.zeros(4, dtype=torch.long))
    optimizer.zero_grad()
    loss.backward()
    torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()
print(loss.device, loss.shape)
