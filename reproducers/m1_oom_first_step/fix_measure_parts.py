"""M1: how many MiB the weights, gradients, optimizer and activations of your step take.

The first three belong to the model. The activations are everything that backward() needs, and grow
with the batch. Which part is the largest says what can shrink it.

Symptom: none: Adam takes twice the weights, and activations double with the batch
Needs:   torch; cpu; about 3 s
Run:     python fix_measure_parts.py
"""
import json
import sys

import torch
from torch import nn


def measure_parts(model, optimizer, train_step):
    """MiB by part, in one step. train_step() does forward and loss, and returns the loss."""
    def mib(tensors):
        return sum(t.numel() * t.element_size() for t in tensors) / 2**20
    weights, saved = list(model.parameters()), {}
    def pack(tensor):
        if all(tensor.data_ptr() != w.data_ptr() for w in weights):
            saved[tensor.data_ptr()] = tensor  # FIX: each one that backward() needs
        return tensor
    optimizer.zero_grad()
    with torch.autograd.graph.saved_tensors_hooks(pack, lambda tensor: tensor):
        loss = train_step()
    activations = mib(saved.values())
    saved.clear()
    loss.backward()
    gradients = mib(w.grad for w in weights if w.grad is not None)
    optimizer.step()
    state = mib(t for s in optimizer.state.values() for t in s.values() if torch.is_tensor(t))
    return {"weights": mib(weights), "gradients": gradients, "optimizer": state,
            "activations": activations}


def parts_with(batch_size):
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(256, 1024), nn.ReLU(), nn.Linear(1024, 256))
    optimizer = torch.optim.Adam(model.parameters())
    inputs, labels = torch.randn(batch_size, 256), torch.randn(batch_size, 256)
    parts = measure_parts(model, optimizer, lambda: nn.functional.mse_loss(model(inputs), labels))
    return {name: round(mib, 1) for name, mib in parts.items()}


if __name__ == "__main__":
    small, large = parts_with(1024), parts_with(2048)
    model_parts = [small["weights"], small["gradients"], small["optimizer"]]
    healthy = (model_parts == [2.0, 2.0, 4.0] == [large[name] for name in list(large)[:3]]
               and large["activations"] == 2 * small["activations"] > 0)
    print("OBSERVED", json.dumps({"healthy": healthy, "mib_with_1024_samples": small,
                                  "mib_with_2048_samples": large}))
    sys.exit(0 if healthy else 1)
