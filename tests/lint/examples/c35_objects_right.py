import torch
from torch import nn

model = nn.Linear(1, 1)
checkpoint = torch.load("checkpoint.pth.tar")
model.load_state_dict(checkpoint["model"])
model.eval()
weights = checkpoint["weights"]
print(weights.keys())
