from library import Folder
from torch.utils.data import DataLoader


def train_epoch(model, dataset, optimizer):
    loader = DataLoader(dataset, batch_size=8, num_workers=4, shuffle=True)
    for batch in loader:
        optimizer.zero_grad()
        model(batch).backward()
        optimizer.step()


def main(model, args, optimizer):
    for epoch in range(args.num_epochs):
        shard = Folder(epoch)
        train_epoch(model, shard, optimizer)


def score(model, dataset):
    loader = DataLoader(dataset, batch_size=8, num_workers=4)
    return sum(model(batch) for batch in loader)


def by_steps(model, train_set, optimizer):
    loader = DataLoader(train_set, batch_size=8, num_workers=4, shuffle=True)
    batches = iter(loader)
    for step in range(10000):
        try:
            batch = next(batches)
        except StopIteration:
            batches = iter(loader)
            batch = next(batches)
        optimizer.zero_grad()
        model(batch).backward()
        optimizer.step()
        if step % 1000 == 0:
            print(next(iter(loader)))


class Measured(Folder):
    """The dataset of its loader is its own first parameter, which no call writes."""

    def mean(self):
        loader = DataLoader(self, batch_size=8, num_workers=4)
        total = 0.0
        for batch in loader:
            total += batch.sum().item()
        return total / len(self)

    def report(self):
        print(self.mean())
