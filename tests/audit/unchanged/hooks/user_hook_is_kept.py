# The hooks of a tensor are the functions that the program has registered.
# quick
import torch


def double(grad):
    return grad * 2


parameter = torch.nn.Parameter(torch.ones(2))
handle = parameter.register_hook(double)
print([hook is double for hook in parameter._backward_hooks.values()])
(parameter * 3).sum().backward()
print(parameter.grad.tolist())
handle.remove()
print(len(parameter._backward_hooks))
