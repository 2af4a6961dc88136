# A loader inside FakeTensorMode cannot draw its seed: the traceback of the uncaught error goes to stderr.
# needs: torch>=2.4
# ends: 1
import torch
from torch._subclasses.fake_tensor import FakeTensorMode

torch.set_num_threads(1)
with FakeTensorMode():
    data = torch.empty(4, 2)
    print(type(data).__name__, tuple(data.shape))
    for b in torch.utils.data.DataLoader(data, batch_size=2):
        print(type(b).__name__, tuple(b.shape))
