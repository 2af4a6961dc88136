# A program that runs into the recursion limit, and goes on training.
import torch


class Endless(torch.nn.Module):
    def forward(self, x):
        return self(x + 1)


layer = torch.nn.Linear(1, 1)
optimizer = torch.optim.SGD(layer.parameters(), lr=0.1)
for _ in range(3):
    try:
        Endless()(torch.zeros(1))
    except RecursionError as error:
        print(str(error).split(" while")[0])
    optimizer.zero_grad()
    torch.nn.functional.mse_loss(layer(torch.ones(1, 1)), torch.ones(1, 1)).backward()
    optimizer.step()
