import torch
from torch import nn
from torch.nn.utils.rnn import pad_sequence
from torch.utils.data import DataLoader, Dataset

class Sentences(Dataset):
    def __init__(self):
        g = torch.Generator().manual_seed(15)
        self.items = [torch.randint(1, 50, (int(n),), generator=g) for n in torch.randint(3, 30, (240,), generator=g)]

    def __len__(self):
        return len(self.items)

    def __getitem__(self, i):
        return self.items[i], self.items[i] % 4

def collate(samples):
    tokens = pad_sequence([s[0] for s in samples], batch_first=True)
    tags = pad_sequence([s[1] for s in samples], batch_first=True)
    return tokens, tags, (tokens != 0).float()

class PosTagger(nn.Module):
    def __init__(self):
        super().__init__()
        self.emb = nn.Embedding(50, 20, padding_idx=0)
        self.rnn = nn.LSTM(20, 20, batch_first=True, bidirectional=True)
        self.out = nn.Linear(40, 4)

    def forward(self, x):
        return self.out(self.rnn(self.emb(x))[0])

torch.manual_seed(1)
model = PosTagger()
optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
per_token = nn.CrossEntropyLoss(reduction="none")
loader = DataLoader(Sentences(), batch_size=12, shuffle=True, collate_fn=collate)
for epoch in range(4):
    for tokens, tags, mask in loader:
        losses = per_token(model(tokens).permute(0, 2, 1), tags)
        loss = (losses * mask).sum() / mask.sum()
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 5.0)
        optimizer.step()
    print(epoch, loss.item())
