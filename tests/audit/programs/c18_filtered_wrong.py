"""Pre-trained encoder copied into a larger model by matching names."""
import io
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Encoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin1 = nn.Linear(12, 24)
        self.lin2 = nn.Linear(24, 8)

    def forward(self, x):
        return self.lin2(torch.relu(self.lin1(x)))


class Tagger(nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder = Encoder()
        self.head = nn.Linear(8, 3)

    def forward(self, x):
        return self.head(self.encoder(x))


def pretrain(data):
    encoder, decoder = Encoder(), nn.Linear(8, 12)
    opt = torch.optim.Adam(list(encoder.parameters()) + list(decoder.parameters()), 1e-2)
    for (x, _) in data:
        loss = (decoder(encoder(x)) - x).pow(2).mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
    buffer = io.BytesIO()
    torch.save(encoder.state_dict(), buffer)
    return buffer.getvalue()


def main():
    torch.manual_seed(0)
    x = torch.randn(96, 12)
    data = DataLoader(TensorDataset(x, x[:, :3].argmax(1)), 12, shuffle=True)
    blob = pretrain(data)
    pretrained = torch.load(io.BytesIO(blob))
    model = Tagger()
    own = model.state_dict()
    matching = {k: v for k, v in pretrained.items() if k in own and v.shape == own[k].shape}
    own.update(matching)
    model.load_state_dict(own)
    opt = torch.optim.SGD(model.parameters(), lr=0.05)
    for epoch in range(2):
        for a, b in data:
            loss = nn.functional.cross_entropy(model(a), b)
            opt.zero_grad()
            loss.backward()
            opt.step()
        print(epoch, loss.item())


main()
