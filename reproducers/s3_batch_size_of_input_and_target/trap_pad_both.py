"""S3: padding ids and labels to the same length moves the labels to other words.

The two lengths agree after padding, and the message is gone. From the first word with two pieces
on, each label belongs to the wrong piece.

Symptom: after 60 steps words have the labels of other words
Needs:   torch; cpu; about 2 s
Run:     python trap_pad_both.py; python fixed.py
"""
import json
import sys

import torch
from torch import nn
from torch.nn.utils.rnn import pad_sequence

steps = 60
sentences = [["Montgomery", "sees", "the", "elephant"], ["Tom", "sleeps"]]
word_labels = [[3, 2, 0, 1], [3, 2]]  # other, noun, verb, name
vocabulary = {}


def pieces(word):
    """A tokenizer: pieces of up to three letters."""
    return [vocabulary.setdefault(word[i:i + 3], len(vocabulary)) for i in range(0, len(word), 3)]


def encode(words, labels, tokenize):
    ids, aligned = [], []
    for word, label in zip(words, labels):
        parts = tokenize(word)
        ids += parts
        aligned += [label]
    return torch.tensor(ids), torch.tensor(aligned)


if __name__ == "__main__":
    torch.manual_seed(0)
    samples = [encode(*sample, tokenize=pieces) for sample in zip(sentences, word_labels)]
    ids = pad_sequence([ids for ids, _ in samples], batch_first=True)
    labels = pad_sequence([labels for _, labels in samples], batch_first=True, padding_value=-100)
    missing = ids.shape[1] - labels.shape[1]
    labels = nn.functional.pad(labels, (0, missing), value=-100)  # BUG: equal lengths only
    model = nn.Sequential(nn.Embedding(len(vocabulary), 8), nn.Linear(8, 4))
    optimizer = torch.optim.Adam(model.parameters(), lr=0.1)
    for _ in range(steps):
        logits = model(ids)
        loss = nn.functional.cross_entropy(logits.flatten(0, 1), labels.flatten())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()

    found = [[model(torch.tensor(pieces(word)[:1])).argmax().item() for word in words]
             for words in sentences]
    healthy = found == word_labels
    print("OBSERVED", json.dumps({"healthy": healthy, "found": found,
                                  "loss": round(loss.item(), 2)}))
    sys.exit(0 if healthy else 1)
