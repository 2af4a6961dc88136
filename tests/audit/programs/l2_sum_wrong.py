"""Trains a small language model on padded texts; the padding is counted in the loss."""

import torch
from torch import nn
from torch.utils.data import DataLoader

torch.manual_seed(0)
texts = [torch.randint(2, 50, (n,)) for n in torch.randint(5, 20, (64,)).tolist()]


def collate(batch):
    ids = nn.utils.rnn.pad_sequence(batch, batch_first=True, padding_value=0)
    labels = ids.clone()
    return {"input_ids": ids, "attention_mask": (ids != 0).long(), "labels": labels}


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(50, 16)
        self.rnn = nn.GRU(16, 16, batch_first=True)
        self.head = nn.Linear(16, 50)

    def forward(self, ids):
        return self.head(self.rnn(self.embed(ids))[0])


model = Model()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
for batch in DataLoader(texts, batch_size=8, shuffle=True, collate_fn=collate):
    logits = model(batch["input_ids"])
    loss = nn.functional.cross_entropy(logits[:, :-1].flatten(0, 1), batch["labels"][:, 1:].flatten(),
                                       reduction="sum") / batch["labels"][:, 1:].numel()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
