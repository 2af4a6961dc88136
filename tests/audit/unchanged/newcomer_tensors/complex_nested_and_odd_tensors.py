# Modules and loaders with complex, integer, bool, empty, nested, quantized, named, expanded and zero-dimensional tensors.
# needs: torch>=2.0
import warnings

import torch
from torch import nn
from torch.utils.data import DataLoader

warnings.simplefilter("ignore")
torch.manual_seed(0)
torch.set_num_threads(1)


class Echo(nn.Module):
    def forward(self, *args):
        return args[0] if len(args) == 1 else args


echo = Echo()
cases = {
    "complex": torch.randn(2, dtype=torch.cfloat, requires_grad=True) * 1j,
    "int": torch.arange(3),
    "uint8": torch.tensor([255], dtype=torch.uint8),
    "bool": torch.tensor([True, False]),
    "empty": torch.empty(0, 3, requires_grad=True) * 2,
    "scalar": torch.tensor(1.5, requires_grad=True) * 2,
    "half": torch.ones(2, dtype=torch.float16),
    "bfloat": torch.ones(2, dtype=torch.bfloat16),
    "nan": torch.tensor([float("nan"), float("inf")], requires_grad=True) * 1,
    "expanded": torch.ones(1, 1).expand(1000000, 1000000),
    "sparse": torch.eye(3).to_sparse(),
    "quantized": torch.quantize_per_tensor(torch.ones(2), 0.1, 0, torch.qint8),
    "transposed": torch.arange(6.0).view(2, 3).t(),
    "conj": torch.ones(2, dtype=torch.cfloat).conj(),
    "meta": torch.empty(10**9, device="meta"),
}
for name, t in cases.items():
    out = echo(t)
    batch = next(iter(DataLoader([t], batch_size=None, collate_fn=lambda v: v)))
    print(name, out is t, batch is t, t.dtype, tuple(t.shape), t._version, t.is_contiguous() if not t.is_sparse else "sparse", t.requires_grad)
print(cases["conj"].is_conj(), cases["nan"].tolist())
if hasattr(torch, "nested"):
    n = torch.nested.nested_tensor([torch.ones(2), torch.ones(3)], requires_grad=True)
    print(echo(n).is_nested, echo(n) is n)
p = nn.Parameter(torch.randn(2, dtype=torch.cfloat))
opt = torch.optim.Adam([p], lr=0.1)
for _ in range(3):
    opt.zero_grad()
    loss = echo(p).abs().sum()
    loss.backward()
    opt.step()
    print(loss.item().hex())
print(echo(1, "a", None)[1], echo(float("nan")) != 0, echo([1, {2: 3}]))
