# Anomaly detection prints the stack of the forward pass.
import torch
import torch.nn.functional as F

layer = torch.nn.Linear(1, 1)
torch.nn.init.zeros_(layer.weight)
torch.nn.init.zeros_(layer.bias)
try:
    with torch.autograd.detect_anomaly():
        F.mse_loss(layer(torch.zeros(1, 1)).sqrt(), torch.zeros(1, 1)).backward()
except RuntimeError as error:
    print(str(error)[:60])
