# A functools.partial of clip_grad_norm_ is kept in a config that is pickled and copied.
import copy
import functools
import pickle

import torch

config = {
    "clip": functools.partial(torch.nn.utils.clip_grad_norm_, max_norm=1.0),
    "write": functools.partial(torch.save, _use_new_zipfile_serialization=True),
}
for again in (copy.deepcopy(config), pickle.loads(pickle.dumps(config))):
    layer = torch.nn.Linear(2, 1)
    layer(torch.ones(1, 2) * 100).sum().backward()
    again["clip"](layer.parameters())
    print(
        round(sum(p.grad.norm().item() ** 2 for p in layer.parameters()), 3),
        again["write"].func is torch.save,
    )
