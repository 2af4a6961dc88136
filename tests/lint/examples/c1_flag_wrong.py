import torch


def main(args, net, loader):
    best = 0
    if args.resume:
        net.load_state_dict(torch.load("best.pt"))
    optimizer = torch.optim.SGD(net.parameters(), lr=args.lr)
    for epoch in range(args.epochs):
        for x, y in loader:
            optimizer.zero_grad()
            torch.nn.functional.cross_entropy(net(x), y).backward()
            optimizer.step()
        accuracy = test(net)
        if accuracy > best:
            torch.save({"net": net.state_dict(), "accuracy": accuracy}, "best.pt")  # BUG
