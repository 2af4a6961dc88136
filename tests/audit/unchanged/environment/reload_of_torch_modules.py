# Modules of torch are reloaded, and imported again after they were forgotten.
import importlib
import sys

import torch
import torch.nn.functional as F

importlib.reload(torch.nn.modules.loss)
print(torch.nn.modules.loss.MSELoss()(torch.ones(1), torch.zeros(1)).item())
importlib.reload(torch.optim.lr_scheduler)
layer = torch.nn.Linear(1, 1)
optimizer = torch.optim.SGD(layer.parameters(), lr=0.1)
for _ in range(2):
    optimizer.zero_grad()
    F.mse_loss(layer(torch.ones(1, 1)), torch.ones(1, 1)).backward()
    optimizer.step()
del sys.modules["torch.utils.data._utils.collate"]
again = importlib.import_module("torch.utils.data._utils.collate")
print(again.default_collate([torch.ones(1), torch.ones(1)]).tolist())
