"""A3: a check that names the modules whose output has no graph.

The check runs one forward pass with a hook on each module. The first name is where the graph is
cut.

Symptom: none: the check names the encoder's layer
Needs:   torch; cpu; about 2 s
Run:     python fix_find_the_cut.py
"""
import json
import sys

import torch
from torch import nn


class Encoder(nn.Module):
    def __init__(self, without_grad):
        super().__init__()
        self.layer, self.without_grad = nn.Linear(8, 8), without_grad

    def forward(self, x):
        with torch.set_grad_enabled(not self.without_grad):
            return self.layer(x)


def modules_without_graph(model, batch):
    """The modules that have trainable parameters, and yet an output without a graph."""
    found = []

    def look(module, inputs, output):
        trainable = any(p.requires_grad for p in module.parameters())
        if trainable and isinstance(output, torch.Tensor) and not output.requires_grad:
            found.append(names[module])

    names = {module: name for name, module in model.named_modules()}
    handles = [module.register_forward_hook(look) for module in names]
    model(batch)
    for handle in handles:
        handle.remove()
    return found


if __name__ == "__main__":
    torch.manual_seed(0)
    batch = torch.randn(4, 8)
    sound = nn.Sequential(Encoder(without_grad=False), nn.ReLU())
    cut = nn.Sequential(Encoder(without_grad=True), nn.ReLU())
    found_in_sound = modules_without_graph(sound, batch)
    found_in_cut = modules_without_graph(cut, batch)

    # FIX: names the layer where the graph is cut, and nothing in a correct model
    healthy = found_in_sound == [] and found_in_cut == ["0.layer", "0", ""]
    print("OBSERVED", json.dumps({"healthy": healthy, "found_in_sound": found_in_sound,
                                  "found_in_cut": found_in_cut}))
    sys.exit(0 if healthy else 1)
