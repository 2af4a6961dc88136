from torch import nn


def main(net: nn.Module, train_loader, test_loader, optimizer):
    criterion = nn.CrossEntropyLoss()
    for epoch in range(10):
        net.train()
        for images, labels in train_loader:
            optimizer.zero_grad()
            criterion(net(images), labels).backward()
            optimizer.step()
        net.eval()
        total = 0
        for images, labels in test_loader:
            scores = net(images)  # dpkb: ignore[O5]
            loss = criterion(scores, labels)
            total += loss  # BUG
        print(epoch, total / len(test_loader))
