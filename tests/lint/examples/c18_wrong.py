import torch

prefix = "module."


def load(model, path):
    state = torch.load(path)
    state = {name.lstrip(prefix): value for name, value in state.items()}  # BUG
    state = {name.lstrip("backbone."): value for name, value in state.items()}  # BUG
    model.load_state_dict(state)
