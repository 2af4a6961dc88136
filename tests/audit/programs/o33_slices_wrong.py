import torch
from torch import nn

torch.manual_seed(0)
inputs, targets = torch.randn(512, 6), torch.randn(512, 1)
model = nn.Sequential(nn.Linear(6, 16), nn.GELU(), nn.Linear(16, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)


def train_micro_batch(rows):  # its tensors are gone when the next ones are created, with the same id
    batch = inputs[rows]
    loss = nn.functional.mse_loss(model(batch), targets[rows]) / 4
    loss.backward()
    nn.utils.clip_grad_norm_(model.parameters(), 0.1)  # O33


for epoch in range(2):
    for number in range(64):
        train_micro_batch(slice(8 * number, 8 * number + 8))
        if number % 4 == 3:
            optimizer.step()
            optimizer.zero_grad()
