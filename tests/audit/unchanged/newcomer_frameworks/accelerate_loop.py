# Accelerate wraps model, optimizer, loader and scheduler; their classes, the accumulation and the losses are printed.
# needs: accelerate
import torch
from accelerate import Accelerator
from accelerate.utils import set_seed
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.set_num_threads(1)
set_seed(0)
acc = Accelerator(cpu=True, gradient_accumulation_steps=2)
net = nn.Sequential(nn.Linear(2, 3), nn.ReLU(), nn.Linear(3, 1))
opt = torch.optim.AdamW(net.parameters(), lr=0.05)
loader = DataLoader(TensorDataset(torch.randn(8, 2), torch.randn(8, 1)), batch_size=2, shuffle=True)
sched = torch.optim.lr_scheduler.StepLR(opt, 1, 0.5)
net, opt, loader, sched = acc.prepare(net, opt, loader, sched)
print(type(net).__name__, type(opt).__name__, type(loader).__name__, type(sched).__name__, loader.total_batch_size)
for x, y in loader:
    with acc.accumulate(net):
        loss = nn.functional.mse_loss(net(x), y)
        acc.backward(loss)
        if acc.sync_gradients:
            print("clip", acc.clip_grad_norm_(net.parameters(), 1.0).item().hex())
        opt.step()
        sched.step()
        opt.zero_grad()
    print(loss.item().hex(), acc.sync_gradients, sched.get_last_lr(), opt.step_was_skipped, loader.end_of_dataloader)
print(acc.gather(torch.ones(1)).tolist(), acc.unwrap_model(net) is net)
