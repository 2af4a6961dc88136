# A student learns from a frozen teacher in eval mode; shows that the teacher and its batch norm never change.
import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(2)
torch.set_num_threads(1)
teacher = nn.Sequential(nn.Linear(4, 8), nn.BatchNorm1d(8), nn.ReLU(), nn.Dropout(0.5), nn.Linear(8, 3)).eval()
student = nn.Sequential(nn.Linear(4, 4), nn.ReLU(), nn.Dropout(0.1), nn.Linear(4, 3)).train()
for p in teacher.parameters():
    p.requires_grad_(False)
before = {k: v.clone() for k, v in teacher.state_dict().items()}
opt = torch.optim.AdamW(student.parameters(), lr=1e-2)
for step in range(5):
    x = torch.randn(8, 4)
    with torch.no_grad():
        target = teacher(x)
    out = student(x)
    loss = F.kl_div(F.log_softmax(out / 2, 1), F.softmax(target / 2, 1), reduction="batchmean") * 4
    opt.zero_grad()
    loss.backward()
    opt.step()
    print(step, loss.item().hex(), target.requires_grad, out.requires_grad)
print(all(torch.equal(before[k], v) for k, v in teacher.state_dict().items()))
print(teacher.training, student.training, [p.grad for p in teacher.parameters()])
