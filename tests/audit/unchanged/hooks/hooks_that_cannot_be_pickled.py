# torch warns about hooks that it does not pickle, unless they are marked.
import io
import warnings

import torch


def look(grad):
    return grad


def marked(grad):
    return grad


marked.__torch_unserializable__ = True
parameter = torch.nn.Parameter(torch.ones(1))
for hook in (look, marked):
    handle = parameter.register_hook(hook)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        torch.save(parameter, io.BytesIO())
    print([str(warning.message).split(" unserializable")[0][:80] for warning in caught])
    handle.remove()
