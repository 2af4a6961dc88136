# The order of all kinds of hooks, of modules, tensors and the program's own global ones.
import torch

log = []


def note(name):
    return lambda *args, **kwargs: log.append(name)


torch.nn.modules.module.register_module_forward_pre_hook(note("global pre"))
torch.nn.modules.module.register_module_forward_hook(note("global"))
torch.nn.modules.module.register_module_full_backward_hook(note("global backward"))
model = torch.nn.Linear(2, 2)
model.register_forward_pre_hook(note("pre"))
model.register_forward_hook(note("forward"))
model.register_full_backward_hook(note("backward"))
model.weight.register_hook(note("weight"))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for _ in range(2):
    optimizer.zero_grad()
    out = model(torch.ones(1, 2, requires_grad=True))
    out.register_hook(note("output"))
    out.sum().backward()
    optimizer.step()
    print(log)
    log.clear()
