import torch
from torch import nn
from torch.utils.data import DataLoader


class Blocks(nn.Module):
    def __init__(self, bs, batch_size):
        super().__init__()
        self.bs, self.size = bs, batch_size
        self.lstm = nn.LSTM(8, 8)

    def forward(self, x):
        self.batch_size = x.size(1)
        batch_size = x.size(1)
        state = torch.zeros(1, batch_size, 8)
        return self.lstm(x, (state, state))[0].view(-1, self.bs)


def main(dataset, critic, optimizer, batch_size):
    loader = DataLoader(dataset, batch_size=batch_size, shuffle=True, drop_last=True)
    uneven = DataLoader(dataset, batch_size=batch_size)
    print(len(uneven))
    one_by_one = DataLoader(dataset, batch_size=1)
    criterion, correct = nn.BCELoss(), 0
    for images, _ in loader:
        optimizer.zero_grad()
        criterion(critic(images.view(batch_size, -1)), torch.ones(batch_size, 1)).backward()
        optimizer.step()
    for images, labels in one_by_one:
        correct += (critic(images.view(1, -1)).round() == labels).sum()
    return correct / len(one_by_one.dataset)
