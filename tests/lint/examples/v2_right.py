import torch
from sklearn.metrics import accuracy_score
from torch.utils.data import DataLoader


def predict(model, dataset, labels):
    loader = DataLoader(dataset, batch_size=32)
    best = torch.cat([model(x).argmax(1) for x, _ in loader])
    truth = torch.cat([y for _, y in loader])
    return accuracy_score(labels, best), accuracy_score(truth, best)


def statistics(model, dataset):
    loader = DataLoader(dataset, batch_size=32, shuffle=True)
    features = []
    for images, _ in loader:
        features.append(model(images))
    features = torch.cat(features)
    return features.mean(0), (features == 0).float().mean()


def train(model, dataset, optimizer, losses, target):
    loader = DataLoader(dataset, batch_size=32, shuffle=True)
    for images, _ in loader:
        loss = (model(images) - images).pow(2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses[-1] == target


def score(model, dataset):
    loader = DataLoader(dataset, batch_size=32, shuffle=True)
    best, truth = [], []
    for x, y in loader:
        best.append(model(x).argmax(1))
        truth.append(y)
    return (torch.cat(best) == torch.cat(truth)).float().mean()


def collect(model, dataset, results):
    loader = DataLoader(dataset, batch_size=32, shuffle=True)
    found = []
    for images, _ in loader:
        found += model(images).argmax(1).tolist()
    results["found"] = found
    return results
