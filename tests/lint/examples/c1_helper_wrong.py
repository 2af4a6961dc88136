import torch
from utils import make_optimizer, save_checkpoint


def package(model, epoch):
    state = {
        "epoch": epoch,
        "weights": model.state_dict(),  # BUG
    }
    return state


def main(args, model, loader):
    optimizer = make_optimizer(args, model)
    if args.resume:
        checkpoint = torch.load(args.resume)
        model.load_state_dict(checkpoint["weights"])
        args.start_epoch = checkpoint["epoch"]
    for epoch in range(args.start_epoch, args.epochs):
        for x, y in loader:
            optimizer.zero_grad()
            torch.nn.functional.mse_loss(model(x), y).backward()
            optimizer.step()
        torch.save(package(model, epoch), "last.pt")
        save_checkpoint({
            "weights": model.state_dict(),  # BUG
            "epoch": epoch,
        }, args.folder)
