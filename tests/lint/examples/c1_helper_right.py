import torch
from utils import make_optimizer, save_checkpoint


def main(args, model, loader):
    optimizer = make_optimizer(args, model)
    if args.resume:
        checkpoint = torch.load(args.resume)
        model.load_state_dict(checkpoint["weights"])
        optimizer.load_state_dict(checkpoint["optimizer"])
    for epoch in range(args.epochs):
        optimizer.step()
        save_checkpoint({"weights": model.state_dict(), "epoch": epoch, "optimizer": optimizer.state_dict()})
        save_checkpoint(model, epoch)
