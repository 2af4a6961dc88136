# quick
# A recursive module that is nearly as deep as Python allows.
import torch


class Tree(torch.nn.Module):
    def forward(self, x, depth):
        return x if depth == 0 else self(x + 1, depth - 1)


model = Tree()
handle = model.register_forward_hook(lambda module, inputs, output: None)
print(model(torch.zeros(1), 180).item())
handle.remove()
print(model(torch.zeros(1), 180).item())
