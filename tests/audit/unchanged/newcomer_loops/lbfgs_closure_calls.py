# quick
# LBFGS calls its closure several times a step; shows how often, with gradients enabled, and what step returns.
import torch

torch.manual_seed(4)
torch.set_num_threads(1)
w = torch.nn.Parameter(torch.randn(3))
opt = torch.optim.LBFGS([w], lr=0.3, max_iter=4, line_search_fn="strong_wolfe")
target = torch.tensor([1.0, 2.0, 3.0])
calls = []


def closure():
    calls.append(torch.is_grad_enabled())
    opt.zero_grad()
    loss = ((w - target) ** 4).sum()
    loss.backward()
    return loss


for step in range(4):
    calls.clear()
    result = opt.step(closure)
    print(step, len(calls), set(calls), type(result).__name__, result.item().hex())
sgd = torch.optim.SGD([w], lr=0.1)
print(sgd.step(), type(sgd.step(lambda: "whatever the closure returns")).__name__)
print(sgd.step(lambda: "whatever the closure returns"))
print(w.detach().tolist())
