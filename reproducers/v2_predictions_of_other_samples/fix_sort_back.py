"""V2: texts are sorted by length for the evaluation, and the predictions are put back.

Prediction i of the sorted texts belongs to text by_length[i].

Symptom: none: the accuracy is above 0.9
Needs:   torch; cpu; about 4 s
Run:     python fix_sort_back.py
"""
import json
import sys

import torch
from torch import nn
from torch.nn.utils.rnn import pad_sequence

torch.set_num_threads(1)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(20, 8, padding_idx=0)
        self.head = nn.Linear(8, 2)

    def forward(self, words):
        return self.head(self.embedding(words).sum(1))


def batches_of(texts, order):
    return [pad_sequence([texts[i] for i in part], batch_first=True) for part in order.split(50)]


if __name__ == "__main__":
    torch.manual_seed(0)
    lengths = torch.randint(5, 30, (500,))
    texts = [torch.randint(3, 20, (length,)) for length in lengths.tolist()]
    labels = torch.randint(2, (500,))
    for text, label in zip(texts, labels):
        text[0] = label + 1  # the first word tells the class
    model = Net()
    optimizer = torch.optim.Adam(model.parameters(), lr=0.02)
    for epoch in range(15):
        order = torch.randperm(500)
        for words, y in zip(batches_of(texts, order), labels[order].split(50)):
            optimizer.zero_grad()
            nn.functional.cross_entropy(model(words), y).backward()
            optimizer.step()

    model.eval()
    by_length = lengths.argsort()  # less padding
    with torch.no_grad():
        outputs = torch.cat([model(words) for words in batches_of(texts, by_length)])
    predictions = torch.empty_like(labels)
    predictions[by_length] = outputs.argmax(1)  # FIX: each at the position of its text

    accuracy = (predictions == labels).float().mean().item()
    healthy = accuracy > 0.9
    print("OBSERVED", json.dumps({"healthy": healthy, "accuracy": round(accuracy, 2)}))
    sys.exit(0 if healthy else 1)
