# Hooks that remove themselves, add others, change the output, raise, and count their handles.
import torch

torch.manual_seed(0)
model = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.ReLU())
seen = []


def once(module, inputs, output):
    handle.remove()
    seen.append("once")
    model[1].register_forward_hook(lambda module, inputs, output: output + 1)
    return output * 0


handle = model[0].register_forward_hook(once)
for _ in range(3):
    print(model(torch.ones(1, 2) * 0).tolist(), seen, len(model[1]._forward_hooks)) if seen else model(
        torch.ones(1, 2)
    )


def fail(module, inputs):
    raise LookupError("from a hook")


failing = model.register_forward_pre_hook(fail)
try:
    model(torch.ones(1, 2))
except LookupError as error:
    print(error)
failing.remove()
print(tuple(model(torch.ones(1, 2)).shape))
