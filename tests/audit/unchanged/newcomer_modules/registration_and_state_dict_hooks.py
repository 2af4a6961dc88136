# needs: torch>=2.5
# Registration hooks, state dict hooks and load hooks of modules and optimizers: their order and what they get.
import torch
from torch import nn
from torch.nn.modules import module as m

torch.manual_seed(0)
torch.set_num_threads(1)
log = []
handles = [
    m.register_module_parameter_registration_hook(lambda mod, n, p: log.append("parameter " + n)),
    m.register_module_module_registration_hook(lambda mod, n, s: log.append("module " + n)),
    m.register_module_buffer_registration_hook(lambda mod, n, b: log.append("buffer " + n)),
]
net = nn.Sequential(nn.Linear(1, 1), nn.BatchNorm1d(1))
for h in handles:
    h.remove()
print(log)
log.clear()
net.register_state_dict_post_hook(lambda mod, sd, prefix, meta: log.append(("post", len(sd), prefix)))
net.register_state_dict_pre_hook(lambda mod, prefix, keep: log.append(("pre", prefix, keep)))
net.register_load_state_dict_pre_hook(lambda mod, sd, *a: log.append(("load pre", len(sd), len(a))))
net.register_load_state_dict_post_hook(lambda mod, keys: log.append(("load post", keys.missing_keys)))
opt = torch.optim.Adam(net.parameters())
opt.register_step_pre_hook(lambda o, a, k: log.append(("step pre", len(a), sorted(k))))
opt.register_step_post_hook(lambda o, a, k: log.append(("step post", len(a), sorted(k))))
opt.register_state_dict_post_hook(lambda o, sd: log.append(("opt state", sorted(sd))))
opt.register_load_state_dict_pre_hook(lambda o, sd: log.append(("opt load", sorted(sd))))
net(torch.ones(2, 1)).sum().backward()
opt.step()
opt.step(closure=lambda: 1)
net.load_state_dict(net.state_dict())
opt.load_state_dict(opt.state_dict())
for line in log:
    print(line)
print(len(opt._optimizer_step_pre_hooks), len(opt._optimizer_step_post_hooks), len(net._state_dict_hooks))
