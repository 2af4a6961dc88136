import torch
from torch import nn


def nodes(node):
    return 0 if node is None else 1 + sum(nodes(following) for following, _ in node.next_functions)


model = nn.Linear(2, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
total = 0.0
for _ in range(3):
    optimizer.zero_grad()
    loss = model(torch.ones(1, 2)).sum()
    loss.backward()
    optimizer.step()
    total += loss
print(nodes(total.grad_fn), total.item() == total.item())
