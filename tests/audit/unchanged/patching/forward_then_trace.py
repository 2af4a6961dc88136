# A library replaces `forward` of a class whose module has a hook, then something is traced.
import torch


class Attention(torch.nn.Module):
    def forward(self, x):
        return x + 1


model = Attention()
model.register_forward_hook(lambda module, inputs, output: None)
print(model(torch.zeros(2)).tolist())


def faster(self, x):
    return x + 7


Attention.forward = faster
print(model(torch.zeros(2)).tolist())
torch.jit.trace(lambda x: x * 2, torch.ones(1))
print(model(torch.zeros(2)).tolist(), Attention.forward is faster)
