# needs: torch>=2.4
# As a plug-in does: `forward` of a class is replaced between two calls of a compiled model.
import torch


class Block(torch.nn.Module):
    def forward(self, x):
        return x + 1


block = Block()
block.register_forward_pre_hook(lambda module, inputs: None)
other = torch.compile(torch.nn.Linear(2, 2), backend="eager")
print(block(torch.zeros(1)).item())
Block.forward = lambda self, x: x - 5
other(torch.ones(1, 2))
print(block(torch.zeros(1)).item())
