import torch


def fit(model, loader, optimizer):
    best = 0
    for epoch in range(3):
        for batch in loader:
            optimizer.zero_grad()
            model(batch).backward()
            optimizer.step()
        torch.save({"epoch": epoch, "model": model.state_dict(), "best": best}, "best.pt")
