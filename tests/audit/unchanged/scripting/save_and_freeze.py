# Scripted and traced modules are saved, loaded, frozen and trained.
import io

import torch

torch.manual_seed(0)
model = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.Dropout(0.1), torch.nn.Linear(2, 1))
scripted = torch.jit.script(model)
optimizer = torch.optim.SGD(scripted.parameters(), lr=0.1)
for _ in range(3):
    optimizer.zero_grad()
    torch.nn.functional.mse_loss(scripted(torch.ones(2, 2)), torch.zeros(2, 1)).backward()
    optimizer.step()
buffer = io.BytesIO()
torch.jit.save(scripted, buffer)
buffer.seek(0)
frozen = torch.jit.freeze(torch.jit.load(buffer).eval())
print(frozen(torch.ones(1, 2)).item().hex())
