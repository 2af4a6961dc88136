# needs: torch>=2.0
# The ids of the handles of hooks, which some libraries keep.
import torch

layer = torch.nn.Linear(1, 1)
optimizer = torch.optim.SGD(layer.parameters(), lr=0.1)
first = layer.register_forward_hook(lambda module, inputs, output: None)
for _ in range(3):
    optimizer.zero_grad()
    layer(torch.ones(1, 1)).sum().backward()
    optimizer.step()
second = layer.register_forward_hook(lambda module, inputs, output: None)
print(first.id, second.id, optimizer.register_step_post_hook(print).id)
print(list(layer._forward_hooks) == [first.id, second.id])
