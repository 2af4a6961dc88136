# An interactive session: `python -i` with lines on standard input, and the traceback that it shows.
# run: sh -c 'tail -n +4 FILE | python -q -i'
# Lines after this one are typed.
import torch

layer = torch.nn.Linear(1, 1)
optimizer = torch.optim.SGD(layer.parameters(), lr=0.1)
layer(torch.ones(1, 1)).sum().backward()
optimizer.step()
torch.nn.functional.mse_loss(torch.ones(2), torch.ones(3, 2, 2)[0][0].reshape(2)).item()
torch.nn.functional.cross_entropy(torch.ones(2, 3), torch.tensor([0, 1, 2]))
torch.load("nothing.pt")
print(sorted(name for name in dir() if not name.startswith("__")))
