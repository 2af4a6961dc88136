"""S6: a list of everything that is not on the device of the first parameter.

It looks at parameters and buffers of the model and of the loss, and at all tensors of the batch.

Symptom: none: four faults are named, and the sound case gives an empty list
Needs:   torch; cpu or cuda; about 2 s
Run:     python fix_find_elsewhere.py
"""
import json
import sys

import torch
from torch import nn

if torch.cuda.is_available():
    device = "cuda"
elif tuple(int(n) for n in torch.__version__.split(".")[:2]) >= (1, 13):
    device = "meta"  # a device without memory: the same rule, without a GPU
else:
    print("SKIPPED a CUDA device or torch 1.13 (device meta) is needed")
    sys.exit(77)


def tensors_in(value, name):
    if torch.is_tensor(value):
        yield name, value
    elif hasattr(value, "items"):  # a dict or a BatchEncoding
        for key in value:
            yield from tensors_in(value[key], "{}[{!r}]".format(name, key))
    elif isinstance(value, (list, tuple)):
        for number, one in enumerate(value):
            yield from tensors_in(one, "{}[{}]".format(name, number))


def elsewhere(model, criterion, batch):  # FIX: print it before the first step
    """What is not on the device of the first parameter."""
    home = next(model.parameters()).device
    tensors = list(tensors_in(batch, "batch"))
    for name, module in (("model", model), ("criterion", criterion)):
        tensors += [(name + "." + key, value) for key, value in module.named_parameters()]
        tensors += [(name + "." + key, value) for key, value in module.named_buffers()]
    return [name for name, value in tensors if value.device != home]


if __name__ == "__main__":
    def case(head, weight, image, label):
        model = nn.Sequential(nn.Linear(4, 8).to(device), nn.Linear(8, 2).to(head))
        criterion = nn.CrossEntropyLoss(weight=torch.ones(2, device=weight))
        batch = {"image": torch.ones(3, 4, device=image),
                 "target": [{"label": torch.ones(3, device=label)}]}
        return elsewhere(model, criterion, batch)

    found = {"nothing": case(device, device, device, device),
             "head": case("cpu", device, device, device),
             "weight": case(device, "cpu", device, device),
             "image": case(device, device, "cpu", device),
             "label": case(device, device, device, "cpu")}
    healthy = list(found.values()) == [[], ["model.1.weight", "model.1.bias"], ["criterion.weight"],
                                       ["batch['image']"], ["batch['target'][0]['label']"]]
    print("OBSERVED", json.dumps({"healthy": healthy, "found_by_fault": found}))
    sys.exit(0 if healthy else 1)
