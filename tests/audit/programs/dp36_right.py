"""Labels of one class in each batch on purpose: domains in turn, batches of a drawn class, tasks, sorted evaluation."""

import random

import torch
from torch import nn
from torch.nn import functional as F
from torch.utils.data import DataLoader, TensorDataset


class OneClassBatches:
    """Each batch has samples of a class that is drawn."""

    def __len__(self):
        return 20

    def __iter__(self):
        for _ in range(20):
            label = random.randrange(4)
            yield [label * 20 + random.randrange(20) for _ in range(10)]


def main():
    torch.manual_seed(0)
    random.seed(0)
    labels = torch.arange(80) // 20
    data = TensorDataset(torch.randn(80, 8) + labels[:, None], labels)
    body, classes, domains = nn.Linear(8, 16), nn.Linear(16, 4), nn.Linear(16, 2)
    parameters = [*body.parameters(), *classes.parameters(), *domains.parameters()]
    optimizer = torch.optim.SGD(parameters, lr=0.05)

    def step(loss):
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()

    for epoch in range(2):
        for (x, y), (other, _) in zip(DataLoader(data, batch_size=10, shuffle=True), DataLoader(data, batch_size=10)):
            domain = F.cross_entropy(domains(body(x)), torch.zeros(len(x), dtype=torch.long))
            domain = domain + F.cross_entropy(domains(body(other)), torch.ones(len(other), dtype=torch.long))
            step(F.cross_entropy(classes(body(x)), y) + 0.1 * domain)
    for x, y in DataLoader(data, batch_sampler=OneClassBatches()):
        step(F.cross_entropy(classes(body(x)), y))
    for task in range(4):
        part = TensorDataset(*(tensor[labels == task] for tensor in data.tensors))
        for x, y in DataLoader(part, batch_size=10, shuffle=True):
            step(F.cross_entropy(classes(body(x)), y))
    with torch.no_grad():
        for x, y in DataLoader(data, batch_size=10):
            F.cross_entropy(classes(body(x)), y)


if __name__ == "__main__":
    main()
