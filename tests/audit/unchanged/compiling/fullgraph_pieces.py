# needs: torch>=2.4
# Loss and clipping in one graph each, zero_grad and the step in as many as they need.
import torch
import torch.nn.functional as F

torch.manual_seed(0)
model = torch.nn.Sequential(torch.nn.Linear(3, 3), torch.nn.Dropout(0.0), torch.nn.Linear(3, 2))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
one_graph = torch.compile(fullgraph=True, backend="eager")
loss = one_graph(lambda x, y: F.cross_entropy(model(x), y))
step = torch.compile(lambda: optimizer.step(), backend="eager")
clear = torch.compile(lambda: optimizer.zero_grad(), backend="eager")
clip = one_graph(lambda: torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0))
x, y = torch.ones(4, 3), torch.tensor([0, 1, 1, 0])
for _ in range(3):
    value = loss(x, y)
    value.backward()
    print(value.item().hex(), clip().item().hex())
    step()
    clear()
