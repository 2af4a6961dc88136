# forward is a static method, and the module has a hook.
import torch


class Double(torch.nn.Module):
    @staticmethod
    def forward(x):
        return x * 2


model = Double()
model.register_forward_hook(lambda module, inputs, output: print("hook", tuple(output.shape)))
print(model(torch.ones(2, 3)).sum().item())
