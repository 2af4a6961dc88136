"""The average of the weights has a separate file, beside the checkpoint to resume from."""
import torch


def save(model, average, optimizer, epoch, folder):
    torch.save({"epoch": epoch, "model": model.state_dict(), "optimizer": optimizer.state_dict()},
               folder / "checkpoint.pt")
    torch.save({"epoch": epoch, "model": average.state_dict()}, folder / "average.pt")


def resume(model, optimizer, folder):
    checkpoint = torch.load(folder / "checkpoint.pt")
    model.load_state_dict(checkpoint["model"])
    optimizer.load_state_dict(checkpoint["optimizer"])
    return checkpoint["epoch"]
