# unittest.mock replaces the model, the optimizer, the loader and open(); every recorded call is printed.
import builtins
from unittest import mock

import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)


def train(model, opt, loader, log):
    for x in loader:
        loss = model(x).sum()
        opt.zero_grad()
        loss.backward()
        opt.step()
        log.write(f"{loss.item():.3f}\n")


model, opt, log = mock.MagicMock(), mock.MagicMock(), mock.MagicMock()
model.return_value.sum.return_value.item.return_value = 1.5
loader = mock.MagicMock()
loader.__iter__.return_value = iter([1, 2])
train(model, opt, loader, log)
print(model.mock_calls)
print(opt.mock_calls, log.mock_calls, loader.mock_calls)
net = nn.Linear(1, 1)
sgd = torch.optim.SGD(net.parameters(), lr=0.1)
spy = mock.Mock(wraps=sgd)
forward = mock.Mock(side_effect=net.forward)
net.forward = forward
with mock.patch.object(builtins, "open", mock.mock_open()) as opened, mock.patch("time.time", return_value=0.0) as now:
    train(net, spy, torch.utils.data.DataLoader(torch.ones(3, 1)), log)
    print(opened.mock_calls, now.mock_calls)
print(spy.mock_calls, forward.call_count, log.write.call_count)
with mock.patch("torch.nn.functional.linear", side_effect=torch.nn.functional.linear) as linear:
    train(nn.Linear(1, 1), sgd, torch.utils.data.DataLoader(torch.ones(3, 1)), log)
    print(linear.call_count)
with mock.patch.object(torch.Tensor, "backward", autospec=True) as backward, mock.patch.object(
    torch.Tensor, "item", autospec=True, return_value=2.5
) as item:
    train(nn.Linear(1, 1), sgd, torch.utils.data.DataLoader(torch.ones(3, 1)), log)
    print(backward.call_count, item.call_count)
