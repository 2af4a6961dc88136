# needs: torch>=2.4
# The older name of fullgraph.
import torch
import torch.nn.functional as F

torch.manual_seed(0)
model = torch.nn.Sequential(torch.nn.Linear(3, 3), torch.nn.Dropout(0.5), torch.nn.Linear(3, 2)).eval()


def loss(x, y):
    return F.cross_entropy(model(x), y)


compiled = torch._dynamo.optimize("eager", nopython=True)(loss)
print(compiled(torch.ones(4, 3), torch.tensor([0, 1, 1, 0])).item().hex())
