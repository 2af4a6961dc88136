from torch.utils.data import DataLoader


def train_epoch(model, dataset, optimizer):
    loader = DataLoader(dataset, batch_size=8, num_workers=4, shuffle=True)  # BUG
    for batch in loader:
        optimizer.zero_grad()
        model(batch).backward()
        optimizer.step()


def main(model, train_set, optimizer, args):
    for _ in range(args.num_epochs):
        train_epoch(model, train_set, optimizer)
    for number in range(args.more_epochs):
        loader = DataLoader(train_set, batch_size=8, num_workers=4)  # BUG
        print(number, sum(model(batch) for batch in loader))


def by_steps(model, train_set, optimizer):
    loader = DataLoader(train_set, batch_size=8, num_workers=4, shuffle=True)
    for _ in range(10000):
        batch = next(iter(loader))  # BUG
        optimizer.zero_grad()
        model(batch).backward()
        optimizer.step()
