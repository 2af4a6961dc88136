# ends: 1
# A checkpoint that does not fit: the traceback on standard error.
import torch

torch.manual_seed(0)
torch.save(torch.nn.Linear(2, 3).state_dict(), "layer.pt")
torch.nn.Linear(2, 2).load_state_dict(torch.load("layer.pt"))
