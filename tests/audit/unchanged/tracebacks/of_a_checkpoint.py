# ends: 1
# needs: torch>=1.9
# A checkpoint that does not fit: the traceback on standard error. (torch 1.8 writes addresses into it.)
import torch

torch.manual_seed(0)
torch.save(torch.nn.Linear(2, 3).state_dict(), "layer.pt")
torch.nn.Linear(2, 2).load_state_dict(torch.load("layer.pt"))
