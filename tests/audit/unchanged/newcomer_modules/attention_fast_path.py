# A transformer encoder without gradients takes its fused fast path; counts the calls that its inner modules see.
# needs: torch>=1.13
import warnings

import torch
from torch import nn

warnings.simplefilter("ignore")
torch.manual_seed(8)
torch.set_num_threads(1)


class Counting(nn.Linear):
    calls = 0

    def forward(self, x):
        Counting.calls += 1
        return super().forward(x)


layer = nn.TransformerEncoderLayer(8, 2, 16, batch_first=True, dropout=0.0)
counting = Counting(8, 16)
layer.linear1 = counting
enc = nn.TransformerEncoder(layer, 2)
x = torch.randn(2, 5, 8)
pad = torch.tensor([[False] * 5, [False] * 3 + [True] * 2])
enc.eval()
for grad in (True, False):
    Counting.calls = 0
    with torch.set_grad_enabled(grad):
        out = enc(x, src_key_padding_mask=pad)
    print(grad, Counting.calls, tuple(out.shape), out.sum().item().hex())
    print((out[1, 3:] == 0).all().item(), out.grad_fn is None)
mha = nn.MultiheadAttention(8, 2, batch_first=True).eval()
with torch.inference_mode():
    out, weights = mha(x, x, x, need_weights=True)
print(out.is_inference(), weights.sum(-1).flatten()[0].item().hex(), out.sum().item().hex())
