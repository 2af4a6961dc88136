# The program sets every global switch of torch, sees its value again after training, and removes its own hooks.
# needs: torch>=1.10
import warnings

import torch
from torch import nn
from torch.utils.data import DataLoader

warnings.simplefilter("ignore")
torch.manual_seed(0)
torch.set_num_threads(1)
torch.set_default_dtype(torch.float64)
torch.use_deterministic_algorithms(True)
torch.autograd.set_detect_anomaly(True)
torch.set_printoptions(precision=2)
torch.set_grad_enabled(False)
net = nn.Linear(1, 1)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
for x in DataLoader(torch.ones(2, 1)):
    with torch.enable_grad():
        loss = net(x).sum()
    opt.zero_grad()
    loss.backward()
    opt.step()
print(torch.get_default_dtype(), torch.are_deterministic_algorithms_enabled(), torch.is_anomaly_enabled())
print(torch.is_grad_enabled(), torch.is_inference_mode_enabled(), loss.dtype, loss)
print(torch.get_num_threads(), torch._tensor_str.PRINT_OPTS.precision, torch.is_warn_always_enabled())
m = nn.modules.module
print([len(getattr(m, n)) <= 1 for n in sorted(vars(m)) if n.startswith("_global_") and n.endswith("hooks")])
print(torch.backends.mkldnn.enabled, torch.backends.cudnn.benchmark, torch.backends.cudnn.deterministic)
