# Every kind of hook on one module and globally, in the order in which they run; a second global hook is removed again.
# needs: torch>=2.0
import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
log = []
lin = nn.Linear(2, 2)
lin.register_forward_pre_hook(lambda m, a: log.append("pre"))
lin.register_forward_pre_hook(lambda m, a, k: log.append(f"pre kwargs {sorted(k)}"), with_kwargs=True)
lin.register_forward_hook(lambda m, a, o: log.append("forward"))
lin.register_forward_hook(lambda m, a, k, o: log.append("always"), with_kwargs=True, always_call=True)
lin.register_full_backward_pre_hook(lambda m, g: log.append("backward pre"))
lin.register_full_backward_hook(lambda m, i, o: log.append("backward"))
lin.weight.register_hook(lambda g: log.append("weight"))
handle = nn.modules.module.register_module_forward_hook(lambda m, a, o: log.append(f"global {type(m).__name__}"))
pre = nn.modules.module.register_module_forward_pre_hook(lambda m, a: log.append(f"global pre {type(m).__name__}"))
x = torch.ones(1, 2, requires_grad=True)
x.register_hook(lambda g: log.append("input"))
lin(x).sum().backward()
print(log)
handle.remove()
pre.remove()
log.clear()
lin(input=torch.ones(1, 2)).sum().backward()
print(log)
log.clear()
try:
    lin(torch.ones(1, 3))
except RuntimeError as e:
    print(str(e).splitlines()[0], log)
