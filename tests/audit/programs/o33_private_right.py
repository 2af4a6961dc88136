"""Private training: the gradient of each sample is clipped, then all are added up, with noise."""
import torch
from torch import nn

torch.manual_seed(0)
inputs = torch.randn(64, 8)
labels = (inputs[:, 0] > 0).long()
model = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 2))
optimizer = torch.optim.SGD(model.parameters(), lr=0.3)
for epoch in range(2):
    for chosen in torch.randperm(64).split(16):
        sums = [torch.zeros_like(parameter) for parameter in model.parameters()]
        for i in chosen:
            optimizer.zero_grad()
            loss = nn.functional.cross_entropy(model(inputs[i:i + 1]), labels[i:i + 1])
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            for total, parameter in zip(sums, model.parameters()):
                total += parameter.grad
        for total, parameter in zip(sums, model.parameters()):
            parameter.grad = (total + 0.1 * torch.randn_like(total)) / len(chosen)
        optimizer.step()
    print(epoch, loss.item())
