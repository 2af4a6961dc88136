import numpy as np
import pandas as pd
import torch
from sklearn.metrics import accuracy_score, classification_report
from torch.utils.data import DataLoader


def report(model, dataset, names):
    loader = DataLoader(dataset, 32, True)  # BUG
    found = []
    for images, _ in loader:
        found.extend(model(images).argmax(1).tolist())
    found = np.array(found)
    print(classification_report(dataset.targets, found))


def predict(model, dataset, labels):
    loader = DataLoader(dataset, batch_size=32, shuffle=True)  # BUG
    logits = torch.cat([model(x) for x, _ in loader])
    best = logits.argmax(1)
    return (best == labels).float().mean()


def score(model, dataset):
    loader = DataLoader(dataset, batch_size=32, shuffle=True)
    best = torch.cat([model(x).argmax(1) for x, _ in loader])
    labels = torch.cat([y for _, y in loader])  # BUG
    return accuracy_score(labels, best)


def submit(model, dataset):
    loader = DataLoader(dataset, batch_size=32, shuffle=True)  # BUG
    found = []
    for images, _ in loader:
        found += model(images).argmax(1).tolist()
    table = pd.read_csv("sample_submission.csv")
    table["label"] = found
    table.to_csv("submission.csv", index=False)
