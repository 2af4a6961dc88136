"""A hook collects activations for a report at the end."""
import torch
from torch import nn

activations = []


def record(module, inputs, output):
    activations.append(output.detach().abs().mean().item())


def main():
    torch.manual_seed(0)
    model = nn.Sequential(nn.Conv1d(2, 16, 5), nn.ReLU(), nn.Conv1d(16, 16, 5), nn.ReLU(), nn.AdaptiveAvgPool1d(1),
                          nn.Flatten(), nn.Linear(16, 3))
    model[2].register_forward_hook(record)
    opt = torch.optim.Adam(model.parameters(), 1e-3)
    for step in range(120):
        x = torch.randn(8, 2, 200)
        loss = nn.functional.cross_entropy(model(x), torch.randint(0, 3, (8,)))
        opt.zero_grad()
        loss.backward()
        opt.step()
    print(len(activations), loss.item())


main()
