# Test doubles: a fake optimizer, a recording parameter list, a spy on zero_grad and a call order across mocks.
from unittest import mock

import torch
from torch import nn
from torch.utils.data import DataLoader

torch.manual_seed(0)
torch.set_num_threads(1)


class Recorder(list):
    def __iter__(self):
        events.append("iterated")
        return super().__iter__()

    def __len__(self):
        events.append("len")
        return super().__len__()


class Spy(torch.optim.SGD):
    def __getattribute__(self, name):
        if name in ("state", "param_groups", "defaults"):
            events.append(name)
        return super().__getattribute__(name)


events = []
net = nn.Linear(1, 1)
opt = Spy(Recorder(net.parameters()), lr=0.1)
print(events.count("iterated"), events.count("len"))
opt.param_groups[0]["params"] = Recorder(opt.param_groups[0]["params"])
for x in DataLoader(torch.ones(3, 1)):
    events.clear()
    opt.zero_grad()
    net(x).sum().backward()
    opt.step()
    print(events)
manager = mock.Mock()
with mock.patch.object(torch.optim.SGD, "zero_grad", autospec=True) as z, mock.patch.object(torch.optim.SGD, "step", autospec=True) as s:
    manager.attach_mock(z, "zero_grad")
    manager.attach_mock(s, "step")
    for x in DataLoader(torch.ones(2, 1)):
        opt.zero_grad()
        net(x).sum().backward()
        opt.step()
print([c[0] for c in manager.mock_calls])
with mock.patch.object(nn.Linear, "forward", autospec=True, return_value=torch.ones(1, requires_grad=True)) as f:
    net(torch.zeros(1, 1)).sum().backward()
    print(f.call_count, len(f.call_args[0]))
fake = mock.create_autospec(torch.optim.Adam, instance=True)
fake.step.return_value = 3
print(fake.step(), fake.mock_calls, isinstance(fake, torch.optim.Optimizer))
