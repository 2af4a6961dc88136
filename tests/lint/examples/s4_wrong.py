import torch
from torch import nn
from torch.utils.data import DataLoader


class Tagger(nn.Module):
    def __init__(self, batch_size, width):
        super().__init__()
        self.batch_size = batch_size
        self.width = width
        self.lstm = nn.LSTM(8, width)

    def init_hidden(self):
        return (torch.zeros(1, self.batch_size, self.width),  # BUG
                torch.zeros(1, self.batch_size, self.width))

    def forward(self, x):
        return self.lstm(x, self.init_hidden())[0]


def main(dataset, generator, critic, optimizer, batch_size):
    loader = DataLoader(dataset, batch_size=batch_size, shuffle=True)
    criterion, correct = nn.BCELoss(), 0
    for images, labels in loader:
        flat = images.view(batch_size, -1)  # BUG
        real = torch.ones(batch_size, 1)  # BUG
        fake = generator(torch.randn(batch_size, 100))
        zeros = torch.zeros(batch_size, 1)
        optimizer.zero_grad()
        loss = criterion(critic(images), real) + criterion(critic(fake), zeros)
        loss.backward()
        optimizer.step()
        correct += (critic(flat).round() == labels).sum()
    return correct / (len(loader) * batch_size)  # BUG
