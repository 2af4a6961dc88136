"""Q2: a forward hook alone blames a correct layer for a nan in the data or in a gradient.

One nan makes every later number nan, so only the first one says something about the cause. The
hook sees the output of every module, but not the batch, the weights or the gradients.

Symptom: faults in the data, a gradient and the weights are all named as the output of a layer
Needs:   torch; cpu; about 3 s
Run:     python broken.py; python fixed.py; diff broken.py fixed.py
"""
import json
import sys

import torch
from torch import nn

torch.set_num_threads(1)  # the tensors are too small for threads to help


def require_finite(where, named_tensors):
    for name, value in named_tensors:
        if value is not None and not torch.isfinite(value).all():
            raise FloatingPointError("{}: {}".format(where, name))


def watch(model):
    """From now on a forward pass stops at the first module whose output is not finite."""
    for name, module in model.named_modules():
        def check(module, args, output, name=name):
            outputs = output if isinstance(output, (tuple, list)) else [output]
            require_finite("output of", [(name, o) for o in outputs if torch.is_tensor(o)])
        module.register_forward_hook(check)


class Middle(nn.Module):
    def __init__(self, function):
        super().__init__()
        self.forward = function


def train(middle=torch.tanh, bad_input=0.0, bad_weight=0.0, lr=0.01,
          criterion=nn.functional.mse_loss):
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(4, 8), Middle(middle), nn.Linear(8, 1))
    model[2].bias.data += bad_weight
    dataset = torch.rand(6, 8, 4)
    dataset[3, 5, 2] += bad_input
    optimizer = torch.optim.SGD(model.parameters(), lr=lr)
    watch(model)
    step = -1
    try:
        for step, inputs in enumerate(dataset):
            labels = inputs.mean(1, keepdim=True)
            # BUG: neither the weights nor the batch are checked before the forward pass
            loss = criterion(model(inputs), labels)
            require_finite("loss", [("loss", loss)])
            optimizer.zero_grad()
            loss.backward()
            # BUG: the gradients are not checked before the step
            optimizer.step()
    except FloatingPointError as error:
        return "step {}, {}".format(step, error)
    except ValueError:
        return "step {}, ValueError".format(step)
    return "{} steps".format(step + 1)


if __name__ == "__main__":
    found = {
        "no fault": train(),
        "nan in a sample": train(bad_input=float("nan")),
        "nan in a checkpoint": train(bad_weight=float("nan")),
        "step overflows": train(lr=1e38, criterion=lambda out, y: 100 * (out - y).abs().mean()),
        "row fully masked": train(lambda x: (x - float("inf")).softmax(1)),
        "float16 overflow": train(lambda x: (x.half() * 300 * 300).float()),
        "log of zero": train(criterion=lambda out, y: -(out.relu() * 0).log().mean()),
        "sqrt at zero": train(criterion=lambda out, y: (out - y).mul(0).sum().sqrt()),
        "std not positive": train(criterion=lambda out, y: -torch.distributions.Normal(
            out, out * 0, validate_args=True).log_prob(y).mean())}
    healthy = list(found.values()) == [
        "6 steps", "step 3, data: inputs", "step 0, weights: 2.bias", "step 1, weights: 0.weight",
        "step 0, output of: 1", "step 0, output of: 1", "step 0, loss: loss",
        "step 0, gradient of: 0.weight", "step 0, ValueError"]
    print("OBSERVED", json.dumps({"healthy": healthy, "found_by_fault": found}))
    sys.exit(0 if healthy else 1)
