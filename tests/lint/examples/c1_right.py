import torch
from torch import nn

model = nn.Linear(4, 2)
optimizer = torch.optim.Adam(model.parameters())
start = 0
if resume := "last.pt":
    checkpoint = torch.load(resume)
    model.load_state_dict(checkpoint["model"])
    optimizer.load_state_dict(checkpoint["optimizer"])
    start = checkpoint["epoch"]
for epoch in range(start, 10):
    state = {"model": model.state_dict(), "epoch": epoch + 1}
    state["optimizer"] = optimizer.state_dict()
    torch.save(state, "last.pt")
