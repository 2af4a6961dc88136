import torch
from torch import nn

torch.manual_seed(0)
encoder, head = nn.Linear(8, 8), nn.Linear(8, 2)
optimizer = torch.optim.SGD([*encoder.parameters(), *head.parameters()], lr=0.1, momentum=0.9)


def train(epochs):
    for _ in range(epochs):
        inputs, labels = torch.randn(32, 8), torch.randint(2, (32,))
        loss = nn.functional.cross_entropy(head(torch.tanh(encoder(inputs))), labels)
        for parameter in head.parameters():
            parameter.grad = None
        for parameter in encoder.parameters():
            if parameter.requires_grad:
                parameter.grad = None
        loss.backward()
        optimizer.step()


train(4)
for parameter in encoder.parameters():  # from here on only the head
    parameter.requires_grad = False
    parameter.grad = None
train(6)
