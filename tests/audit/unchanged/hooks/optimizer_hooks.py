# needs: torch>=2.1
# Step hooks of optimizers: those of the program, in their order, and one that replaces the arguments.
import torch
from torch.optim.optimizer import register_optimizer_step_post_hook, register_optimizer_step_pre_hook

log = []
register_optimizer_step_pre_hook(lambda optimizer, args, kwargs: log.append("global pre"))
register_optimizer_step_post_hook(lambda optimizer, args, kwargs: log.append("global post"))
layer = torch.nn.Linear(1, 1)
optimizer = torch.optim.Adam(layer.parameters())
optimizer.register_step_pre_hook(
    lambda optimizer, args, kwargs: log.append(("pre", len(args), sorted(kwargs)))
)
optimizer.register_step_post_hook(lambda optimizer, args, kwargs: log.append("post"))


def closure():
    optimizer.zero_grad()
    loss = layer(torch.ones(1, 1)).sum()
    loss.backward()
    return loss


closure()
optimizer.step()
optimizer.step(closure)
optimizer.step(closure=closure)
print(log)
print(len(optimizer._optimizer_step_pre_hooks), len(optimizer._optimizer_step_post_hooks))
print(sorted(name for name in vars(optimizer) if "hook" in name))
