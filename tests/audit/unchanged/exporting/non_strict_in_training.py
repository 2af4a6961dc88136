# needs: torch>=2.5
# A model that is exported in the middle of its training.
import torch

torch.manual_seed(0)
model = torch.nn.Sequential(
    torch.nn.Linear(3, 3), torch.nn.BatchNorm1d(3), torch.nn.Dropout(0.2), torch.nn.Linear(3, 1)
)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for _ in range(3):
    optimizer.zero_grad()
    torch.nn.functional.mse_loss(model(torch.randn(4, 3)), torch.zeros(4, 1)).backward()
    optimizer.step()
exported = torch.export.export(model, (torch.ones(4, 3),), strict=False)
print([str(node.target) for node in exported.graph.nodes if node.op == "call_function"])
print(sorted(exported.graph_signature.buffers))
