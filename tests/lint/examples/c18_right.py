import torch


def load(model, path, tag):
    state = torch.load(path)
    state = {name.removeprefix("module."): value for name, value in state.items()}
    model.load_state_dict(state)
    return tag.lstrip("v."), path.rstrip("/")
