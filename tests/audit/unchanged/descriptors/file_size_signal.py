# The same with the default action of SIGXFSZ put back: nothing but the program's own writes may send it.
import resource
import signal

import torch

signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
resource.setrlimit(resource.RLIMIT_FSIZE, (64, 64))
model = torch.nn.Linear(2, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for _ in range(4):
    optimizer.zero_grad()
    torch.nn.functional.mse_loss(model(torch.ones(4, 2)), torch.ones(4, 1)).backward()
    optimizer.step()
print("trained")
