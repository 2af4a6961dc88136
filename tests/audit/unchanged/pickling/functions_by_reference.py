# quick
# What people pickle by reference: functions of torch.
import pickle

import torch

NAMES = [
    "save load jit.script jit.trace nn.utils.clip_grad_norm_ nn.utils.clip_grad_value_ autograd.backward",
    "autograd.grad nn.functional.cross_entropy nn.functional.mse_loss nn.functional.dropout",
    "nn.Module.parameters nn.Module.load_state_dict optim.SGD.step optim.Optimizer.zero_grad",
    "utils.data.DataLoader.__iter__ Tensor.backward distributed.all_reduce distributed.init_process_group",
]
for name in " ".join(NAMES).split():
    value = torch
    for part in name.split("."):
        value = getattr(value, part)
    try:
        print(name, pickle.loads(pickle.dumps(value)) is value)
    except Exception as error:
        print(name, type(error).__name__)
