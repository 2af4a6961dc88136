# needs: torch>=2.1
# functionalize and forward-mode derivatives in the middle of a training.
import torch
from torch.autograd import forward_ad
from torch.func import functionalize

torch.manual_seed(0)
model = torch.nn.Linear(2, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for _ in range(2):
    optimizer.zero_grad()
    model(torch.ones(1, 2)).sum().backward()
    optimizer.step()
    with forward_ad.dual_level():
        out = model(forward_ad.make_dual(torch.ones(1, 2), torch.ones(1, 2)))
        print(forward_ad.unpack_dual(out).tangent.item().hex())
print(functionalize(lambda x: torch.nn.functional.mse_loss(x.add_(1), torch.zeros(2)))(torch.ones(2)).item())
