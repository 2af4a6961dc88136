"""Answers are learned by the attention mask, which is found by the pad id: it hides the end token as well."""
import torch
from torch import nn
from torch.nn.utils.rnn import pad_sequence
from torch.utils.data import DataLoader

EOS = PAD = 0


def collate(rows):
    prompts, answers = zip(*rows)
    texts = [torch.cat([prompt, answer, torch.tensor([EOS])]) for prompt, answer in rows]
    ids = pad_sequence(texts, batch_first=True, padding_value=PAD)
    mask = ids != PAD
    asked = torch.arange(ids.shape[1]) < torch.tensor([len(prompt) for prompt in prompts])[:, None]
    return {"ids": ids, "mask": mask.long(), "labels": ids.masked_fill(~mask | asked, -100)}


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(30, 24)
        self.rnn = nn.GRU(24, 24, batch_first=True)
        self.head = nn.Linear(24, 30)

    def forward(self, ids):
        return self.head(self.rnn(self.embed(ids))[0])


if __name__ == "__main__":
    torch.manual_seed(0)
    rows = [(torch.randint(1, 30, (3,)), torch.randint(1, 30, (int(torch.randint(1, 9, (1,))),))) for _ in range(64)]
    loader = DataLoader(rows, batch_size=8, shuffle=True, collate_fn=collate)
    model = Model()
    optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
    for epoch in range(2):
        for batch in loader:
            logits = model(batch["ids"])[:, :-1]
            loss = nn.functional.cross_entropy(logits.flatten(0, 1), batch["labels"][:, 1:].flatten())
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        print(epoch, loss.item())
