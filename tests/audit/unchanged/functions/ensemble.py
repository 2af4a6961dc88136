# needs: torch>=2.1
# An ensemble of models by stack_module_state, with dropout that differs in each.
import copy

import torch
from torch.func import functional_call, stack_module_state, vmap

torch.manual_seed(0)
models = [torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.Dropout(0.5)) for _ in range(3)]
parameters, buffers = stack_module_state(models)
base = copy.deepcopy(models[0]).to("meta")
out = vmap(lambda p, b, x: functional_call(base, (p, b), (x,)), (0, 0, None), randomness="different")(
    parameters, buffers, torch.ones(4, 2)
)
print(out.shape, out.sum().item().hex())
