# The program replaces dropout for a while, scripts a module in between, and puts the original back.
import torch
import torch.nn.functional as F

original = F.dropout
F.dropout = lambda input, p=0.5, training=True, inplace=False: input * 3
torch.jit.script(torch.nn.ReLU())
print(F.dropout(torch.ones(2)).tolist())
layer = torch.nn.Dropout(0.5)
print(layer(torch.ones(2)).tolist())
F.dropout = original
torch.jit.script(torch.nn.ReLU())
print(F.dropout is original, F.dropout(torch.ones(2), training=False).tolist())
