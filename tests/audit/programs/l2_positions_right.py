"""A causal LM as in transformers, whose labels are masked by length: it learns the end token."""
from collections import UserDict

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

EOS = 2
PAD = EOS
VOCAB = 50


class Stories(Dataset):
    def __init__(self, n):
        g = torch.Generator().manual_seed(1)
        self.items = [torch.cat([torch.randint(3, VOCAB, (int(torch.randint(4, 14, (1,), generator=g)),), generator=g),
                                 torch.tensor([EOS])]) for _ in range(n)]

    def __len__(self):
        return len(self.items)

    def __getitem__(self, i):
        return {"input_ids": self.items[i]}


class Collator:
    def __call__(self, features):
        ids = [f["input_ids"] for f in features]
        input_ids = nn.utils.rnn.pad_sequence(ids, batch_first=True, padding_value=PAD)
        lengths = torch.tensor([len(i) for i in ids])
        mask = torch.arange(input_ids.shape[1])[None] < lengths[:, None]
        labels = input_ids.clone()
        labels[~mask] = -100
        return UserDict(input_ids=input_ids, attention_mask=mask.long(), labels=labels)


class LM(nn.Module):
    def __init__(self):
        super().__init__()
        self.emb = nn.Embedding(VOCAB, 20)
        self.positions = nn.Embedding(32, 20)
        self.lstm = nn.LSTM(20, 20, batch_first=True)
        self.proj = nn.Linear(20, VOCAB)

    def forward(self, input_ids, attention_mask=None, labels=None):
        positions = torch.arange(input_ids.shape[1])[None]
        logits = self.proj(self.lstm(self.emb(input_ids) + self.positions(positions))[0])
        loss = None
        if labels is not None:
            moved = nn.functional.pad(labels, (0, 1), value=-100)[:, 1:]
            loss = nn.functional.cross_entropy(logits.reshape(-1, VOCAB), moved.reshape(-1))
        return {"loss": loss, "logits": logits}


if __name__ == "__main__":
    torch.manual_seed(0)
    loader = DataLoader(Stories(80), batch_size=8, shuffle=True, collate_fn=Collator())
    model = LM()
    optimizer = torch.optim.Adam(model.parameters(), 5e-3)
    for epoch in range(2):
        for batch in loader:
            out = model(**batch)
            optimizer.zero_grad()
            out["loss"].backward()
            optimizer.step()
        print(epoch, out["loss"].item())
