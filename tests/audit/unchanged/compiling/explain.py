# needs: torch>=2.4
# How many graphs a function becomes.
import torch
import torch.nn.functional as F

torch.manual_seed(0)
model = torch.nn.Sequential(torch.nn.Linear(3, 3), torch.nn.Dropout(0.5), torch.nn.Linear(3, 2))


def loss(x, y):
    return F.cross_entropy(model(x), y)


explained = torch._dynamo.explain(loss)(torch.ones(4, 3), torch.tensor([0, 1, 1, 0]))
print(explained.graph_count, explained.graph_break_count, explained.break_reasons)
