import torch
from library import build_optimizer, train_epoch


def save_in_steps(path, epoch, model):
    state = {}
    state["epoch"] = epoch
    state["model"] = model.state_dict()  # BUG
    torch.save(state, path)


def save_under_a_name(path, step, model):
    weights = model.module.state_dict()
    torch.save(dict(total_steps=step, weights=weights), path)  # BUG


def save_files(folder, model, lr_scheduler):
    weights = {name: value.cpu() for name, value in model.state_dict().items()}
    torch.save(weights, f"{folder}/model.pt")  # BUG
    torch.save(lr_scheduler.state_dict(), f"{folder}/scheduler.pt")


def main(model, use_cuda):
    optimizer = build_optimizer(model)
    checkpoint = torch.load("last.pt")
    model.load_state_dict(checkpoint["model"])
    for epoch in range(checkpoint["epoch"], 10):
        train_epoch(model, optimizer)
        torch.save({
            "model": model.state_dict() if use_cuda else model,  # BUG
            "epoch": epoch,
        }, "last.pt")
