"""A small transformer with tied weights, padding that is ignored, an EMA copy, and sampling."""
import copy

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

PAD, VOCABULARY = 0, 50


class Sentences(Dataset):
    def __len__(self):
        return 96

    def __getitem__(self, index):
        generator = torch.Generator().manual_seed(index)
        return torch.randint(1, VOCABULARY, (5 + index % 7,), generator=generator)


def collate(samples):
    tokens = nn.utils.rnn.pad_sequence(samples, batch_first=True, padding_value=PAD)
    labels = tokens[:, 1:].clone()
    labels[labels == PAD] = -100
    return tokens[:, :-1], labels


class Model(nn.Module):
    def __init__(self, width=16):
        super().__init__()
        self.embedding = nn.Embedding(VOCABULARY, width, padding_idx=PAD)
        self.layer = nn.TransformerEncoderLayer(width, 2, 32, dropout=0.1)
        self.out = nn.Linear(width, VOCABULARY, bias=False)
        self.out.weight = self.embedding.weight

    def forward(self, tokens):
        length = tokens.shape[1]
        mask = torch.full((length, length), float("-inf")).triu(1)
        return self.out(self.layer(self.embedding(tokens).transpose(0, 1), mask).transpose(0, 1))


torch.manual_seed(0)
model = Model()
average = copy.deepcopy(model).requires_grad_(False)
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
loader = DataLoader(Sentences(), batch_size=12, shuffle=True, collate_fn=collate)
for epoch in range(3):
    model.train()
    for tokens, labels in loader:
        logits = model(tokens)
        loss = nn.functional.cross_entropy(logits.reshape(-1, VOCABULARY), labels.reshape(-1))
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        optimizer.step()
        with torch.no_grad():
            for slow, fast in zip(average.parameters(), model.parameters()):
                slow.lerp_(fast, 0.01)
    model.eval()
    with torch.no_grad():
        text = torch.ones(1, 1, dtype=torch.long)
        for _ in range(5):
            step = torch.multinomial(model(text)[:, -1].softmax(-1), 1)
            text = torch.cat([text, step], 1)
    print(epoch, loss.item(), text.tolist())
