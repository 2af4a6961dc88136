import torch
from library import build_optimizer, train_epoch


def save_in_steps(path, epoch, model, opt):
    state = {}
    state["epoch"] = epoch
    state["model"] = model.state_dict()
    state["opt"] = opt.state_dict()
    torch.save(state, path)


def save_files(folder, model, optimizer, lr_scheduler):
    torch.save(model.state_dict(), f"{folder}/model.pt")
    torch.save(optimizer.state_dict(), f"{folder}/optimizer.pt")
    torch.save(lr_scheduler.state_dict(), f"{folder}/scheduler.pt")


def save_metrics(path, epoch, scores):
    torch.save({"epoch": epoch, "scores": scores}, path)


def main(model):
    optimizer = build_optimizer(model)
    model.load_state_dict(torch.load("pretrained.pt"))
    for epoch in range(10):
        train_epoch(model, optimizer)
        save_in_steps("last.pt", epoch, model, optimizer)
