"""Calls PyTorch wrongly, systematically, and writes down what it says: `python tools/message_census.py OUT.json`.

It imports nothing of dpkb and runs on Python 3.8 with torch 1.8.1 as well as on the newest, so that any interpreter
can run it. Each target is a sound call. Each of its arguments is replaced in the ways that MUTATIONS lists, one at a
time, and left out once. The calls of a target run in a child process, because some of them abort or never return.
`python -m tools.message_census OUT.json F.cross_entropy` runs only the targets that contain this text.
"""

from __future__ import annotations

import ast
import contextlib
import json
import os
import platform
import re
import select
import signal
import sys
import tempfile
import time
import traceback
import types
import warnings
from collections.abc import Iterator
from typing import Any

# A child that writes nothing for so long is killed; its next call runs in another child.
SECONDS_PER_CALL = 6
MAX_CALLS_PER_MESSAGE = 3

# What each kind of argument is replaced with; x stands for its source.
MUTATIONS = {
    "float tensor": (
        "x.unsqueeze(0)",
        "x[0]",
        "x[..., 1:]",
        "torch.cat([x, x], -1)",
        "torch.cat([x, x], 1)",
        "x[1:]",
        "x[:0]",
        "x.sum()",
        "x.flatten()",
        "x.unsqueeze(-1)",
        "x.transpose(0, -1)",
        "x[:1].expand_as(x)",
        "x.long()",
        "x.half()",
        "x.double()",
        "x.bool()",
        "x.to('meta')",
        "x * float('nan')",
        "x - 5",
        "x.tolist()",
        "x.detach().numpy()",
        "(x, x)",
        "None",
    ),
    "long tensor": (
        "x.unsqueeze(0)",
        "x[0]",
        "x[..., 1:]",
        "torch.cat([x, x], -1)",
        "x[1:]",
        "x[:0]",
        "x.unsqueeze(-1)",
        "x.float()",
        "x.double()",
        "x.int()",
        "x.bool()",
        "x.to('meta')",
        "x + 1000",
        "x - 1000",
        "x.tolist()",
        "x.numpy()",
        "F.one_hot(x, 1000)",
        "None",
    ),
    "module": ("None", "x.to('meta')", "x.half()", "x.double()", "type(x)"),
    "tensors": (
        "[]",
        "[x[0][..., 1:], *x[1:]]",
        "[x[0].unsqueeze(0), *x[1:]]",
        "[x[0].half(), *x[1:]]",
        "[x[0].long(), *x[1:]]",
        "[x[0].to('meta'), *x[1:]]",
        "[x[0].numpy(), *x[1:]]",
        "[None, *x[1:]]",
        "x[0]",
        "None",
    ),
    "sequence": ("[]", "x[:-1]", "x * 2", "[None, *x[1:]]", "None"),
    "mapping": ("{}", "None", "dict(list(x.items())[1:])", "{'module.' + k: v for k, v in x.items()}"),
    "int": ("x + 1", "x + 100", "x // 2", "0", "-1", "x * 1.5", "None", "'7'"),
    "float": ("-1.0", "2.0", "float('nan')", "None", "'0.1'"),
    "text": ("'no_such'", "None"),
    "bool": ("None",),
    "object": ("None",),
}

# Calls that only make a value for the call that is tried, and calls around the one that is tried.
MAKERS = {"rand", "randint", "zeros", "ones", "tensor", "get_rank", "SGD", "Adam", "LBFGS", "Linear"}
AROUND = {"next", "iter", "list", "len", "Sequential"}

# Sound calls. A row that begins with a name and a colon needs this module; `ranks:` runs on two gloo ranks.
TARGETS = """
nn.Linear(8, 4)(torch.rand(3, 8))
nn.Bilinear(4, 5, 2)(torch.rand(3, 4), torch.rand(3, 5))
nn.Sequential(nn.Conv2d(3, 4, 3), nn.Flatten(), nn.Linear(144, 2))(torch.rand(2, 3, 8, 8))
nn.Sequential(nn.Linear(8, 4), nn.BatchNorm1d(4), nn.Linear(4, 2))(torch.rand(3, 8))
nn.Conv1d(3, 4, 3)(torch.rand(2, 3, 8))
nn.Conv2d(3, 4, kernel_size=3, stride=1, padding=1, groups=1)(torch.rand(2, 3, 8, 8))
nn.Conv3d(3, 4, 3)(torch.rand(2, 3, 6, 6, 6))
nn.Conv2d(3, 3, 3, padding='same', padding_mode='reflect')(torch.rand(2, 3, 8, 8))
nn.ConvTranspose1d(3, 4, 3)(torch.rand(2, 3, 8))
nn.ConvTranspose2d(3, 4, 3, stride=2, output_padding=1)(torch.rand(2, 3, 8, 8))
nn.ConvTranspose3d(3, 4, 3)(torch.rand(2, 3, 4, 4, 4))
nn.BatchNorm1d(8)(torch.rand(3, 8))
nn.BatchNorm2d(3)(torch.rand(2, 3, 4, 4))
nn.BatchNorm3d(3)(torch.rand(2, 3, 4, 4, 4))
nn.SyncBatchNorm(3)(torch.rand(2, 3, 4, 4))
nn.LayerNorm(8)(torch.rand(3, 8))
nn.LayerNorm([3, 8])(torch.rand(2, 3, 8))
nn.GroupNorm(2, 4)(torch.rand(2, 4, 8))
nn.InstanceNorm1d(3)(torch.rand(2, 3, 8))
nn.InstanceNorm2d(3)(torch.rand(2, 3, 8, 8))
nn.RMSNorm(8)(torch.rand(3, 8))
nn.Embedding(10, 4, padding_idx=0)(torch.randint(10, (2, 5)))
nn.EmbeddingBag(10, 4)(torch.randint(10, (6,)), torch.tensor([0, 3]))
nn.Embedding.from_pretrained(torch.rand(10, 4))(torch.randint(10, (2, 5)))
nn.LSTM(8, 4, num_layers=2, dropout=0.1)(torch.rand(5, 3, 8), (torch.zeros(2, 3, 4), torch.zeros(2, 3, 4)))
nn.GRU(8, 4, batch_first=True)(torch.rand(3, 5, 8), torch.zeros(1, 3, 4))
nn.RNN(8, 4, nonlinearity='tanh')(torch.rand(5, 3, 8))
nn.LSTMCell(8, 4)(torch.rand(3, 8), (torch.zeros(3, 4), torch.zeros(3, 4)))
nn.GRUCell(8, 4)(torch.rand(3, 8), torch.zeros(3, 4))
nn.utils.rnn.pack_padded_sequence(torch.rand(5, 3, 8), torch.tensor([5, 4, 2]), enforce_sorted=True)
nn.utils.rnn.pad_sequence([torch.rand(5, 2), torch.rand(3, 2)], batch_first=True, padding_value=0.0)
nn.utils.rnn.pad_packed_sequence(nn.utils.rnn.pack_sequence([torch.rand(3, 2), torch.rand(2, 2)]))
nn.MultiheadAttention(8, 2)(torch.rand(5, 3, 8), torch.rand(6, 3, 8), torch.rand(6, 3, 8))
nn.MultiheadAttention(8, 2)(torch.rand(5, 3, 8), torch.rand(6, 3, 8), torch.rand(6, 3, 8), key_padding_mask=torch.zeros(3, 6).bool(), attn_mask=torch.zeros(5, 6))
nn.TransformerEncoderLayer(8, 2, dim_feedforward=16)(torch.rand(5, 3, 8), src_mask=torch.zeros(5, 5))
nn.TransformerEncoder(nn.TransformerEncoderLayer(8, 2, 16), 2)(torch.rand(5, 3, 8), src_key_padding_mask=torch.zeros(3, 5).bool())
nn.TransformerDecoderLayer(8, 2, 16)(torch.rand(5, 3, 8), torch.rand(6, 3, 8))
nn.Transformer(8, 2, 1, 1, 16)(torch.rand(6, 3, 8), torch.rand(5, 3, 8))
nn.MaxPool1d(2)(torch.rand(2, 3, 8))
nn.MaxPool2d(2, padding=1)(torch.rand(2, 3, 8, 8))
nn.AvgPool2d(2)(torch.rand(2, 3, 8, 8))
nn.AdaptiveAvgPool2d((1, 1))(torch.rand(2, 3, 8, 8))
nn.AdaptiveAvgPool1d(2)(torch.rand(2, 3, 8))
nn.MaxUnpool2d(2)(torch.rand(1, 1, 2, 2), torch.tensor([[[[0, 2], [8, 10]]]]))
nn.ReflectionPad2d(1)(torch.rand(2, 3, 8, 8))
nn.ReplicationPad2d(1)(torch.rand(2, 3, 8, 8))
nn.ZeroPad2d(1)(torch.rand(2, 3, 8, 8))
nn.Flatten(1, -1)(torch.rand(2, 3, 4))
nn.Unflatten(1, (2, 4))(torch.rand(3, 8))
nn.PixelShuffle(2)(torch.rand(2, 4, 3, 3))
nn.Upsample(scale_factor=2, mode='nearest')(torch.rand(2, 3, 4, 4))
nn.Upsample(size=(8, 8), mode='bilinear', align_corners=False)(torch.rand(2, 3, 4, 4))
nn.Softmax(dim=1)(torch.rand(2, 3))
nn.LogSoftmax(dim=-1)(torch.rand(2, 3))
nn.Dropout(0.5)(torch.rand(2, 3))
nn.Dropout2d(0.5)(torch.rand(2, 3, 4, 4))
nn.PReLU(3)(torch.rand(2, 3, 4))
nn.GLU(dim=1)(torch.rand(2, 4))
nn.Fold((4, 4), (2, 2))(torch.rand(1, 12, 9))
nn.Unfold((2, 2))(torch.rand(1, 3, 4, 4))
nn.ModuleList([nn.Linear(2, 2), nn.ReLU()])
nn.ModuleDict({'a': nn.Linear(2, 2), 'b': nn.ReLU()})
nn.ParameterList([nn.Parameter(torch.rand(2)), nn.Parameter(torch.rand(2))])
nn.Parameter(torch.rand(2, 3))
nn.Module().register_buffer('scale', torch.rand(2))
nn.Module().register_parameter('weight', nn.Parameter(torch.rand(2)))
nn.Module().add_module('head', nn.Linear(2, 2))
model = nn.Linear(2, 2); model.weight = nn.Parameter(torch.rand(2, 2))
nn.Linear(2, 2).to('cpu', torch.float64)
nn.Linear(2, 2).to_empty(device='cpu')
nn.init.xavier_uniform_(torch.empty(2, 3), gain=1.0)
nn.init.kaiming_normal_(torch.empty(2, 3), mode='fan_in', nonlinearity='relu')
nn.init.orthogonal_(torch.empty(2, 3))
nn.utils.clip_grad_norm_(nn.Linear(2, 2).parameters(), 1.0)
nn.utils.parametrize.register_parametrization(nn.Linear(2, 2), 'weight', nn.Identity())
nn.utils.weight_norm(nn.Linear(2, 2), 'weight')
F.cross_entropy(torch.rand(4, 3), torch.randint(3, (4,)), weight=torch.rand(3), ignore_index=-100, reduction='mean')
F.cross_entropy(torch.rand(2, 3, 8, 8), torch.randint(3, (2, 8, 8)))
F.cross_entropy(torch.rand(2, 3, 5), torch.randint(3, (2, 5)))
F.cross_entropy(torch.rand(4, 3), torch.rand(4, 3))
nn.CrossEntropyLoss(weight=torch.rand(3), label_smoothing=0.1)(torch.rand(4, 3), torch.randint(3, (4,)))
F.nll_loss(torch.rand(4, 3), torch.randint(3, (4,)), torch.rand(3))
F.nll_loss(torch.rand(2, 3, 8, 8), torch.randint(3, (2, 8, 8)))
F.binary_cross_entropy(torch.rand(4, 1), torch.rand(4, 1), weight=torch.rand(4, 1))
F.binary_cross_entropy_with_logits(torch.rand(4, 3), torch.rand(4, 3), pos_weight=torch.rand(3))
F.mse_loss(torch.rand(4, 3), torch.rand(4, 3), reduction='mean')
F.l1_loss(torch.rand(4, 3), torch.rand(4, 3))
F.smooth_l1_loss(torch.rand(4, 3), torch.rand(4, 3), beta=1.0)
F.kl_div(torch.rand(4, 3), torch.rand(4, 3), reduction='batchmean')
F.ctc_loss(torch.rand(6, 2, 5).log_softmax(-1), torch.randint(1, 5, (2, 3)), torch.tensor([6, 6]), torch.tensor([3, 3]), blank=0)
F.cosine_embedding_loss(torch.rand(4, 3), torch.rand(4, 3), torch.ones(4), margin=0.5)
F.triplet_margin_loss(torch.rand(4, 3), torch.rand(4, 3), torch.rand(4, 3), margin=1.0)
F.margin_ranking_loss(torch.rand(4), torch.rand(4), torch.ones(4))
F.multi_margin_loss(torch.rand(4, 3), torch.randint(3, (4,)))
F.multilabel_soft_margin_loss(torch.rand(4, 3), torch.rand(4, 3))
F.hinge_embedding_loss(torch.rand(4, 3), torch.ones(4, 3))
F.gaussian_nll_loss(torch.rand(4, 3), torch.rand(4, 3), torch.rand(4, 3))
F.poisson_nll_loss(torch.rand(4, 3), torch.rand(4, 3))
F.cosine_similarity(torch.rand(4, 3), torch.rand(4, 3), dim=1)
F.pairwise_distance(torch.rand(4, 3), torch.rand(4, 3))
F.interpolate(torch.rand(2, 3, 4, 4), size=(8, 8), mode='bilinear', align_corners=False)
F.interpolate(torch.rand(2, 3, 4, 4), scale_factor=2.0, mode='nearest')
F.grid_sample(torch.rand(2, 3, 4, 4), torch.rand(2, 5, 5, 2), mode='bilinear', align_corners=False)
F.affine_grid(torch.rand(2, 2, 3), (2, 3, 4, 4), align_corners=False)
F.scaled_dot_product_attention(torch.rand(2, 2, 5, 4), torch.rand(2, 2, 6, 4), torch.rand(2, 2, 6, 4), attn_mask=torch.zeros(5, 6))
F.one_hot(torch.randint(3, (4,)), num_classes=3)
F.pad(torch.rand(2, 3, 4, 4), (1, 1, 1, 1), mode='reflect')
F.softmax(torch.rand(2, 3), dim=1)
F.log_softmax(torch.rand(2, 3), dim=1)
F.gumbel_softmax(torch.rand(2, 3), tau=1.0)
F.normalize(torch.rand(2, 3), p=2.0, dim=1)
F.layer_norm(torch.rand(2, 3, 8), (8,))
F.batch_norm(torch.rand(2, 3), torch.zeros(3), torch.ones(3), training=True)
F.linear(torch.rand(3, 8), torch.rand(4, 8), torch.rand(4))
F.conv2d(torch.rand(2, 3, 8, 8), torch.rand(4, 3, 3, 3), torch.rand(4))
F.embedding(torch.randint(10, (2, 5)), torch.rand(10, 4))
F.dropout(torch.rand(2, 3), 0.5)
F.unfold(torch.rand(1, 3, 4, 4), 2)
F.max_pool2d(torch.rand(2, 3, 8, 8), 2)
F.adaptive_avg_pool2d(torch.rand(2, 3, 8, 8), (1, 1))
torch.cat([torch.rand(2, 3), torch.rand(2, 3)], dim=1)
torch.stack([torch.rand(2, 3), torch.rand(2, 3)], dim=0)
torch.rand(4, 6).view(4, 2, 3)
torch.rand(4, 6).reshape(4, 2, 3)
torch.rand(4, 6).permute(1, 0)
torch.rand(4, 6).transpose(0, 1).view(24)
torch.rand(4, 1).squeeze(1).unsqueeze(1)
torch.rand(4, 1).expand(4, 3)
torch.rand(2, 3).repeat(2, 1)
torch.matmul(torch.rand(2, 3), torch.rand(3, 4))
torch.mm(torch.rand(2, 3), torch.rand(3, 4))
torch.bmm(torch.rand(2, 3, 4), torch.rand(2, 4, 5))
torch.einsum('bij,bjk->bik', torch.rand(2, 3, 4), torch.rand(2, 4, 5))
torch.dot(torch.rand(3), torch.rand(3))
torch.add(torch.rand(2, 3), torch.rand(2, 3))
torch.rand(2, 3).add_(torch.rand(2, 3))
torch.where(torch.rand(2, 3) > 0.5, torch.rand(2, 3), torch.rand(2, 3))
torch.gather(torch.rand(4, 3), 1, torch.randint(3, (4, 1)))
torch.zeros(4, 3).scatter_(1, torch.randint(3, (4, 1)), torch.rand(4, 1))
torch.zeros(4, 3).scatter_add_(1, torch.randint(3, (4, 1)), torch.rand(4, 1))
torch.index_select(torch.rand(4, 3), 0, torch.tensor([0, 2]))
torch.zeros(4, 3).index_add_(0, torch.tensor([0, 2]), torch.rand(2, 3))
torch.rand(4, 3).masked_fill(torch.rand(4, 3) > 0.5, 0.0)
torch.masked_select(torch.rand(4, 3), torch.rand(4, 3) > 0.5)
torch.rand(4, 3)[torch.tensor([0, 2])]
torch.rand(4, 3).__getitem__(torch.rand(4) > 0.5)
torch.rand(4, 3).__setitem__(torch.tensor([0, 2]), torch.rand(2, 3))
torch.rand(4, 3).sum(dim=1)
torch.rand(4, 3).mean(dim=1)
torch.rand(4, 3).max(dim=1)
torch.argmax(torch.rand(4, 3), dim=1)
torch.topk(torch.rand(4, 3), 2, dim=1)
torch.split(torch.rand(4, 3), 2, dim=0)
torch.chunk(torch.rand(4, 3), 2)
torch.clamp(torch.rand(3), 0.0, 1.0)
torch.norm(torch.rand(3), 2.0)
torch.cdist(torch.rand(4, 3), torch.rand(5, 3))
torch.multinomial(torch.rand(3), 2)
torch.bincount(torch.randint(3, (4,)), minlength=3)
torch.tensor([[1.0, 2.0], [3.0, 4.0]])
torch.tensor([[1.0, 2.0], [3.0]])
torch.from_numpy(np.ones(3))
torch.from_numpy(np.array(['a']))
torch.from_numpy(np.ones(3)[::-1])
torch.as_tensor(np.array([1, None]))
torch.arange(0, 10, 2)
torch.randint(0, 10, (3,))
torch.randperm(4)
torch.full((2, 3), 1.0)
torch.zeros((2, 3))
torch.linalg.inv(torch.eye(3))
torch.linalg.cholesky(torch.eye(3))
torch.linalg.solve(torch.eye(3), torch.rand(3))
torch.fft.rfft(torch.rand(8))
torch.stft(torch.rand(400), n_fft=64, window=torch.ones(64), return_complex=True)
torch.autograd.grad(nn.Linear(2, 1)(torch.rand(3, 2)).sum(), [torch.rand(2, requires_grad=True)], allow_unused=True)
torch.rand(1).item()
torch.rand(3).item()
torch.rand(3).tolist()
torch.rand(3, requires_grad=True).numpy()
torch.rand(3).to('meta').numpy()
torch.rand(3).to('meta').item()
torch.rand(3).bfloat16().numpy()
np.array(torch.rand(3, requires_grad=True))
float(torch.rand(3))
bool(torch.rand(3) > 0)
int(torch.rand(3).to('meta').sum())
len(torch.tensor(1.0))
list(torch.tensor(1.0))
torch.tensor(1.0)[0]
torch.rand(3)[5]
torch.rand(3, 2)[:, 5]
torch.rand(3, 2)[0, 0, 0]
torch.rand(3)[1.5]
torch.rand(3)['a']
hash(torch.rand(3)); {torch.rand(3): 1}; torch.rand(3) in [torch.rand(4)]
torch.rand(3).cuda()
torch.rand(3).to('cuda')
torch.rand(3).to('mps')
torch.rand(3).to('cpu:7')
torch.device('gpu')
nn.Linear(2, 2).cuda()
torch.cuda.set_device(0)
torch.cuda.current_device()
torch.cuda.get_device_name(0)
torch.cuda.synchronize()
torch.cuda.manual_seed(0); torch.cuda.Stream()
torch.zeros(2, device='cuda')
torch.zeros(2, pin_memory=True)
torch.rand(3).pin_memory()
torch.Generator('cuda')
torch.load(saved(torch.rand(2)), map_location='cuda:0')
loss = nn.Linear(2, 1)(torch.rand(3, 2)).sum(); loss.backward(); loss.backward()
nn.Linear(2, 1)(torch.rand(3, 2)).backward()
nn.Linear(2, 1)(torch.rand(3, 2)).sum().detach().backward()
nn.Linear(2, 1)(torch.rand(3, 2)).sum().backward(gradient=torch.tensor(1.0))
torch.rand(3).sum().backward()
torch.rand(3, requires_grad=True).add_(1)
torch.rand(3, requires_grad=True).zero_()
w = torch.rand(3, requires_grad=True); w[0] = 1.0
w = torch.rand(3, requires_grad=True); y = w.exp(); y += 1; y.sum().backward()
w = torch.rand(3, requires_grad=True) * 2; w.requires_grad = False
torch.randint(3, (2,)).requires_grad_()
torch.randint(3, (2,)).mean()
w = nn.Linear(2, 2).weight; w.data = torch.rand(3, 2).long()
w = torch.rand(3, requires_grad=True); w.grad = torch.rand(2)
w = torch.rand(3, requires_grad=True); copy.deepcopy(w * 2)
nn.Linear(2, 2).weight.grad.zero_()
with torch.inference_mode(): x = torch.rand(3)
x = nn.Linear(2, 2)(torch.rand(3, 2)); x.register_hook(print); x.retain_grad()
torch.utils.checkpoint.checkpoint(nn.Linear(2, 2), torch.rand(3, 2, requires_grad=True), use_reentrant=False)
torch.nn.functional.gelu(torch.rand(3))
torch.manual_seed(0)
torch.set_rng_state(torch.get_rng_state())
optim.SGD(nn.Linear(2, 2).parameters(), lr=0.1, momentum=0.9, weight_decay=0.1)
optim.SGD(nn.Linear(2, 2).parameters(), lr=0.1, nesterov=False)
optim.Adam(nn.Linear(2, 2).parameters(), lr=0.1, betas=(0.9, 0.999), eps=1e-8)
optim.AdamW(nn.Linear(2, 2).parameters(), lr=0.1)
optim.RMSprop(nn.Linear(2, 2).parameters(), lr=0.1, alpha=0.9)
optim.Adagrad(nn.Linear(2, 2).parameters(), lr=0.1)
optim.SGD([{'params': [torch.rand(2, requires_grad=True)], 'lr': 0.1}, {'params': [torch.rand(2, requires_grad=True)]}], lr=0.1)
optim.SGD([{'params': [torch.rand(2, requires_grad=True)]}])
optim.SGD([torch.rand(2, requires_grad=True)], lr=0.1)
optim.SGD([torch.rand(2, requires_grad=True) * 2], lr=0.1)
optim.SGD([nn.Linear(2, 2)], lr=0.1)
optim.SGD(nn.Linear(2, 2), lr=0.1)
optim.SGD(nn.Linear(2, 2).state_dict(), lr=0.1)
optim.SGD(nn.ReLU().parameters(), lr=0.1)
w = torch.rand(2, requires_grad=True); optim.SGD([w, w], lr=0.1)
w = torch.rand(2, requires_grad=True); optim.SGD([{'params': [w]}, {'params': [w]}], lr=0.1)
opt = optim.LBFGS(nn.Linear(2, 2).parameters(), lr=0.1); opt.step(lambda: torch.tensor(1.0))
opt = optim.LBFGS(nn.Linear(2, 2).parameters(), lr=0.1); opt.step()
opt = optim.Adam(nn.Linear(2, 2).parameters()); opt.step(nn.Linear(2, 1)(torch.rand(2)))
opt = optim.Adam(nn.Linear(2, 2).parameters()); opt.load_state_dict(optim.Adam(nn.Linear(2, 2).parameters()).state_dict())
opt = optim.Adam(nn.Linear(2, 2).parameters()); opt.load_state_dict(optim.Adam(nn.Sequential(nn.Linear(2, 2), nn.Linear(2, 2)).parameters()).state_dict())
opt = optim.Adam(nn.Linear(2, 2).parameters()); opt.add_param_group({'params': [torch.rand(2, requires_grad=True)]})
optim.lr_scheduler.StepLR(optim.SGD(nn.Linear(2, 2).parameters(), lr=0.1), step_size=2, gamma=0.1).step()
optim.lr_scheduler.MultiStepLR(optim.SGD(nn.Linear(2, 2).parameters(), lr=0.1), milestones=[2, 4]).step()
optim.lr_scheduler.LambdaLR(optim.SGD(nn.Linear(2, 2).parameters(), lr=0.1), lr_lambda=lambda n: 0.9).step()
optim.lr_scheduler.CosineAnnealingLR(optim.SGD(nn.Linear(2, 2).parameters(), lr=0.1), T_max=10).step()
optim.lr_scheduler.CosineAnnealingWarmRestarts(optim.SGD(nn.Linear(2, 2).parameters(), lr=0.1), T_0=10).step()
optim.lr_scheduler.ReduceLROnPlateau(optim.SGD(nn.Linear(2, 2).parameters(), lr=0.1), mode='min', factor=0.1).step(1.0)
optim.lr_scheduler.OneCycleLR(optim.SGD(nn.Linear(2, 2).parameters(), lr=0.1, momentum=0.9), max_lr=0.1, epochs=1, steps_per_epoch=2).step()
scheduler = optim.lr_scheduler.OneCycleLR(optim.SGD(nn.Linear(2, 2).parameters(), lr=0.1, momentum=0.9), max_lr=0.1, total_steps=2); [scheduler.step() for i in range(3)]
optim.lr_scheduler.CyclicLR(optim.SGD(nn.Linear(2, 2).parameters(), lr=0.1, momentum=0.9), base_lr=0.1, max_lr=0.2).step()
optim.lr_scheduler.CyclicLR(optim.Adam(nn.Linear(2, 2).parameters(), lr=0.1, amsgrad=True), base_lr=0.1, max_lr=0.2)
optim.lr_scheduler.StepLR(optim.SGD(nn.Linear(2, 2).parameters(), lr=0.1), step_size=2, last_epoch=3)
optim.lr_scheduler.LinearLR(optim.SGD(nn.Linear(2, 2).parameters(), lr=0.1), start_factor=0.1, total_iters=5)
opt = optim.SGD(nn.Linear(2, 2).parameters(), lr=0.1); optim.lr_scheduler.SequentialLR(opt, [optim.lr_scheduler.StepLR(opt, 2), optim.lr_scheduler.StepLR(opt, 3)], milestones=[2])
data.TensorDataset(torch.rand(4, 2), torch.rand(4))
data.Subset(data.TensorDataset(torch.rand(4, 2)), [0, 1])[1]
data.ConcatDataset([data.TensorDataset(torch.rand(4, 2)), data.TensorDataset(torch.rand(4, 2))])
data.random_split(data.TensorDataset(torch.rand(4, 2)), [3, 1])
data.RandomSampler(data.TensorDataset(torch.rand(4, 2)), replacement=True, num_samples=2)
data.WeightedRandomSampler([0.5, 0.5, 0.1], num_samples=3, replacement=True)
list(data.WeightedRandomSampler([0.5, 0.5], num_samples=5, replacement=False))
data.BatchSampler(data.SequentialSampler([1, 2, 3]), batch_size=2, drop_last=False)
data.distributed.DistributedSampler([1, 2, 3], num_replicas=2, rank=0)
data.distributed.DistributedSampler([1, 2, 3])
next(iter(data.DataLoader(data.TensorDataset(torch.rand(4, 2)), batch_size=2, shuffle=True)))
next(iter(data.DataLoader([1, 2, 3], batch_size=2, num_workers=0, timeout=0, collate_fn=None)))
next(iter(data.DataLoader([1, 2, 3], num_workers=1, prefetch_factor=2, persistent_workers=False)))
data.DataLoader([1, 2, 3], num_workers=0, prefetch_factor=4)
data.DataLoader([1, 2, 3], num_workers=0, persistent_workers=True)
data.DataLoader([1, 2, 3], sampler=data.SequentialSampler([1, 2, 3]), shuffle=True)
data.DataLoader([1, 2, 3], batch_sampler=data.BatchSampler(data.SequentialSampler([1, 2, 3]), 2, False), batch_size=2)
data.DataLoader([1, 2, 3], batch_size=None, drop_last=True)
data.DataLoader([], shuffle=True)
data.DataLoader(Stream(), shuffle=True)
data.DataLoader(Stream(), sampler=[0, 1])
len(data.DataLoader(Stream()))
next(iter(data.DataLoader(Stream(), collate_fn=lambda b: b)))
next(iter(data.DataLoader(data.Dataset())))
next(iter(data.DataLoader({'a': 1, 'b': 2})))
next(iter(data.DataLoader([1, None, 3], batch_size=3)))
loader = data.DataLoader([1, 2, 3]); loader[0]
loader = data.DataLoader([1, 2, 3]); next(loader)
loader = data.DataLoader([1, 2, 3]); loader.batch_size = 4
iterator = iter(data.DataLoader([1, 2, 3])); iterator.next()
data.default_collate([torch.rand(2), torch.rand(2)]) if hasattr(data, 'default_collate') else None
collate([torch.rand(2, 3), torch.rand(2, 3)])
collate([(torch.rand(2), 1), (torch.rand(2), 2)])
collate([(torch.rand(2), 1), (torch.rand(2),)])
collate([{'a': torch.rand(2)}, {'a': torch.rand(2)}])
collate([{'a': torch.rand(2)}, {'b': torch.rand(2)}])
collate([torch.rand(2), np.ones(2)])
collate([np.ones(2), np.ones(3)])
collate([np.array(['a']), np.array(['b'])])
collate([None, None])
collate([object(), object()])
collate([Image.new('L', (2, 2))])
collate([[1, 2], [3]])
collate([1, 'a'])
collate([1, None])
collate(['a', 1])
nn.Linear(2, 2).load_state_dict(nn.Linear(2, 2).state_dict(), strict=True)
nn.Linear(2, 2).load_state_dict(nn.Linear(3, 2).state_dict())
nn.Linear(2, 2).load_state_dict(nn.Sequential(nn.Linear(2, 2)).state_dict())
nn.Linear(2, 2).load_state_dict({'state_dict': nn.Linear(2, 2).state_dict()})
nn.Linear(2, 2).load_state_dict(nn.Linear(2, 2))
nn.Linear(2, 2).load_state_dict(nn.Linear(2, 2).parameters())
nn.Linear(2, 2).load_state_dict('model.pth')
nn.Linear(2, 2).load_state_dict({k: v.numpy() for k, v in nn.Linear(2, 2).state_dict().items()})
nn.Linear(2, 2).to('meta').load_state_dict(nn.Linear(2, 2).state_dict())
nn.Linear(2, 2).load_state_dict(nn.Linear(2, 2).to('meta').state_dict())
nn.Linear(2, 2).to('meta').to('cpu')
torch.load(saved(torch.rand(2)), map_location='cpu')
torch.load('no_such.pth')
torch.load(io.BytesIO(b''))
torch.load(io.BytesIO(b'no checkpoint'))
torch.load(io.BytesIO(saved(nn.Linear(2, 2)).getvalue()[:-200]))
torch.load(saved(nn.Linear(2, 2)))
torch.load(saved({'numpy': np.float64(1.0), 'array': np.ones(2)}))
torch.load(saved(torch.rand(2)), weights_only=True)
torch.save(nn.Linear(2, 2).state_dict(), io.BytesIO())
torch.save(lambda: 1, io.BytesIO())
torch.save(torch.rand(2), 'no_such_folder/model.pth')
torch.save(torch.rand(2))
torch.jit.load('no_such.pt')
torch.jit.script(nn.Linear(2, 2))
torch.jit.trace(nn.Linear(2, 2), torch.rand(3, 2))
torch.autocast('cpu', dtype=torch.bfloat16).__enter__()
torch.cuda.amp.GradScaler(init_scale=1.0, growth_factor=2.0).scale(torch.tensor(1.0))
torch.amp.GradScaler('cpu', init_scale=2.0)
scaler = torch.amp.GradScaler('cpu'); scaler.step(optim.SGD(nn.Linear(2, 2).parameters(), lr=0.1)); scaler.update()
scaler = torch.amp.GradScaler('cpu'); opt = optim.SGD(nn.Linear(2, 2).parameters(), lr=0.1); scaler.unscale_(opt); scaler.unscale_(opt)
scaler = torch.amp.GradScaler('cpu'); model = nn.Linear(2, 2).half(); opt = optim.SGD(model.parameters(), lr=0.1); scaler.scale(model(torch.rand(3, 2).half()).sum()).backward(); scaler.unscale_(opt)
scaler = torch.amp.GradScaler('cpu'); scaler.update()
with torch.autocast('cpu', dtype=torch.bfloat16): F.binary_cross_entropy(torch.rand(3), torch.rand(3))
with torch.autocast('cpu', dtype=torch.bfloat16): nn.Linear(2, 2)(torch.rand(3, 2)).numpy()
torch.rand(2).half().fill_(1e6)
torch.rand(2, 2).half().masked_fill_(torch.rand(2, 2) > 0, -1e9)
torch.distributions.Categorical(probs=torch.rand(2, 3)).sample()
torch.distributions.Categorical(logits=torch.rand(2, 3)).log_prob(torch.tensor([0, 1]))
torch.distributions.Normal(torch.rand(2), torch.rand(2)).log_prob(torch.rand(2))
torch.distributions.Bernoulli(torch.rand(2)).log_prob(torch.ones(2))
torch.utils.data.get_worker_info().id
torch.compile(nn.Linear(2, 2), backend='eager')
torch.export.export(nn.Linear(2, 2), (torch.rand(3, 2),))
torch.vmap(torch.sin)(torch.rand(3))
torch.func.functional_call(nn.Linear(2, 2), dict(nn.Linear(2, 2).named_parameters()), (torch.rand(3, 2),))
NotInitialised(); NotInitialised().forward()
NoForward()(torch.rand(2))
nn.Linear(2, 2).no_such
nn.Linear(2, 2).no_such(torch.rand(2))
torch.rand(2).no_such
nn.Sequential(nn.Linear(2, 2))[3]
nn.Sequential(nn.LSTM(2, 2), nn.Linear(2, 2))(torch.rand(3, 2, 2))
nn.DataParallel(nn.Linear(2, 2))(torch.rand(3, 2))
nn.parallel.DistributedDataParallel(nn.Linear(2, 2))
dist.get_rank()
dist.barrier()
dist.all_reduce(torch.rand(2))
dist.init_process_group('gloo')
dist.init_process_group('gloo', init_method='env://', rank=0)
ranks: dist.all_reduce(torch.rand(2), op=dist.ReduceOp.SUM)
ranks: dist.broadcast(torch.rand(2), src=0)
ranks: dist.all_gather([torch.zeros(2), torch.zeros(2)], torch.rand(2))
ranks: dist.reduce_scatter(torch.zeros(2), [torch.zeros(2), torch.zeros(2)])
ranks: dist.all_to_all_single(torch.zeros(2), torch.rand(2))
ranks: dist.scatter(torch.zeros(2), [torch.rand(2), torch.rand(2)] if dist.get_rank() == 0 else None, src=0)
ranks: dist.gather(torch.rand(2), [torch.zeros(2), torch.zeros(2)] if dist.get_rank() == 0 else None, dst=0)
ranks: dist.all_gather_object([None, None], {'loss': 1.0})
ranks: dist.broadcast_object_list([1, 2], src=0)
ranks: dist.send(torch.rand(2), dst=1) if dist.get_rank() == 0 else dist.recv(torch.zeros(2), src=0)
ranks: dist.new_group([0, 1])
ranks: dist.new_group([0]); dist.barrier()
ranks: dist.init_process_group('gloo')
ranks: dist.all_reduce(torch.rand(2).numpy())
ranks: dist.all_reduce(torch.rand(2 + dist.get_rank()))
ranks: dist.all_gather([torch.zeros(2), torch.zeros(2)], torch.rand(2).double())
ranks: nn.parallel.DistributedDataParallel(nn.Linear(2, 2))(torch.rand(3, 2)).sum().backward()
ranks: nn.parallel.DistributedDataParallel(nn.Linear(2, 2), device_ids=None, broadcast_buffers=True)
ranks: nn.parallel.DistributedDataParallel(nn.Linear(2, 2), device_ids=[0])
ranks: nn.parallel.DistributedDataParallel(nn.ReLU())
ranks: nn.parallel.DistributedDataParallel(nn.Linear(2, 2 + dist.get_rank()))
ranks: nn.parallel.DistributedDataParallel(nn.Linear(2, 2).to('meta'))
ranks: nn.parallel.DistributedDataParallel(nn.Linear(2, 2).half())(torch.rand(3, 2))
ranks: nn.parallel.DistributedDataParallel(nn.Linear(2, 2)).weight
ranks: nn.parallel.DistributedDataParallel(nn.Linear(2, 2), no_such=True)
ranks: model = nn.parallel.DistributedDataParallel(nn.ModuleList([nn.Linear(2, 2), nn.Linear(2, 2)])); model(torch.rand(3, 2))
ranks: nn.SyncBatchNorm.convert_sync_batchnorm(nn.BatchNorm1d(2))(torch.rand(3, 2))
ranks: fsdp.FullyShardedDataParallel(nn.Linear(2, 2))
ranks: fsdp.fully_shard(nn.Linear(2, 2))
ranks: fsdp.fully_shard(nn.Sequential(nn.Linear(2, 2), nn.Linear(2, 2).half()))
ranks: fsdp.fully_shard([nn.Linear(2, 2), 3])
ranks: model = fsdp.fully_shard(nn.Linear(2, 2)); model.weight + torch.rand(2, 2)
ranks: model = fsdp.fully_shard(nn.Linear(2, 2).to('meta')); model(torch.rand(3, 2))
ranks: data.distributed.DistributedSampler([1, 2, 3], num_replicas=2, rank=5)
torchvision: transforms.Compose([transforms.Resize((8, 8)), transforms.ToTensor()])(Image.new('RGB', (9, 9)))
torchvision: transforms.ToTensor()(Image.new('RGB', (9, 9)))
torchvision: transforms.ToTensor()(torch.rand(3, 8, 8))
torchvision: transforms.ToTensor()(np.ones(3))
torchvision: transforms.PILToTensor()(Image.new('RGB', (9, 9)))
torchvision: transforms.Normalize([0.5, 0.5, 0.5], [0.5, 0.5, 0.5])(torch.rand(3, 8, 8))
torchvision: transforms.Normalize([0.5, 0.5, 0.5], [0.5, 0.5, 0.5])(Image.new('RGB', (9, 9)))
torchvision: transforms.Normalize([0.5], [0.0])(torch.rand(1, 8, 8))
torchvision: transforms.Resize((8, 8))(torch.rand(3, 9, 9))
torchvision: transforms.RandomCrop(4, padding=1)(torch.rand(3, 8, 8))
torchvision: transforms.RandomCrop(16)(Image.new('RGB', (9, 9)))
torchvision: transforms.RandomResizedCrop(8, scale=(0.1, 1.0))(torch.rand(3, 8, 8))
torchvision: transforms.CenterCrop(4)(torch.rand(3, 8, 8))
torchvision: transforms.RandomHorizontalFlip(0.5)(torch.rand(3, 8, 8))
torchvision: transforms.ColorJitter(0.1, 0.1, 0.1, 0.1)(torch.rand(3, 8, 8))
torchvision: transforms.RandomRotation(10)(torch.rand(3, 8, 8))
torchvision: transforms.Grayscale(1)(torch.rand(3, 8, 8))
torchvision: transforms.RandomErasing(p=1.0, value=0)(torch.rand(3, 8, 8))
torchvision: transforms.ToPILImage()(torch.rand(3, 8, 8))
torchvision: transforms.Lambda(lambda x: x * 2)(torch.rand(3))
torchvision: transforms.GaussianBlur(3, sigma=1.0)(torch.rand(3, 8, 8))
torchvision: torchvision.models.resnet18(num_classes=2)(torch.rand(2, 3, 32, 32))
torchvision: torchvision.models.vit_b_16(num_classes=2, image_size=32)(torch.rand(2, 3, 32, 32))
torchvision: torchvision.models.inception_v3(num_classes=2, init_weights=False)(torch.rand(2, 3, 32, 32))
torchvision: torchvision.models.resnet18(weights='no_such')
torchvision: torchvision.models.detection.fasterrcnn_resnet50_fpn(weights=None, weights_backbone=None)([torch.rand(3, 32, 32)])
torchvision: torchvision.models.detection.fasterrcnn_resnet50_fpn(weights=None, weights_backbone=None).train()([torch.rand(3, 32, 32)], [{'boxes': torch.tensor([[0.0, 0.0, 8.0, 8.0]]), 'labels': torch.tensor([1])}])
torchvision: torchvision.ops.nms(torch.tensor([[0.0, 0.0, 1.0, 1.0]]), torch.rand(1), 0.5)
torchvision: torchvision.ops.box_iou(torch.rand(2, 4), torch.rand(3, 4))
torchvision: torchvision.ops.roi_align(torch.rand(1, 3, 8, 8), [torch.rand(2, 4)], (2, 2))
torchvision: torchvision.utils.make_grid([torch.rand(3, 4, 4), torch.rand(3, 4, 4)])
torchvision: torchvision.utils.save_image(torch.rand(3, 4, 4), io.BytesIO(), format='png')
torchvision: torchvision.datasets.ImageFolder('no_such_folder')
torchvision: torchvision.datasets.CIFAR10('no_such_folder')
torchvision: torchvision.io.read_image('no_such.png')
PIL: Image.open('no_such.jpg')
PIL: Image.fromarray(np.zeros((8, 8, 3), dtype=np.uint8))
transformers: tokenizer = hf_tokenizer(); tokenizer(['a b', 'a'], padding=True, truncation=True, max_length=4, return_tensors='pt')
transformers: tokenizer = hf_tokenizer(); tokenizer(['a b', 'a'], return_tensors='pt')
transformers: tokenizer = hf_tokenizer(); tokenizer('a b', text_pair='a')
transformers: tokenizer = hf_tokenizer(); tokenizer.pad([{'input_ids': [1, 2]}, {'input_ids': [1]}], return_tensors='pt')
transformers: tokenizer = hf_tokenizer(); tokenizer.decode([1, 2])
transformers: tokenizer = hf_tokenizer(); tokenizer.pad_token = None; tokenizer(['a b', 'a'], padding=True)
transformers: tokenizer = hf_tokenizer(); tokenizer.apply_chat_template([{'role': 'user', 'content': 'a'}])
transformers: transformers.DataCollatorWithPadding(hf_tokenizer())([{'input_ids': [1, 2]}, {'input_ids': [1]}])
transformers: transformers.DataCollatorWithPadding(hf_tokenizer())([{'input_ids': [1, 2], 'text': 'a'}, {'input_ids': [1], 'text': 'b'}])
transformers: transformers.DataCollatorWithPadding(hf_tokenizer())([{'input_ids': [1, 2], 'labels': [1, 2]}, {'input_ids': [1], 'labels': [1]}])
transformers: transformers.DataCollatorForLanguageModeling(hf_tokenizer(), mlm=False)([{'input_ids': [1, 2]}, {'input_ids': [1]}])
transformers: transformers.DataCollatorForLanguageModeling(hf_tokenizer(), mlm=True)
transformers: transformers.DataCollatorForSeq2Seq(hf_tokenizer())([{'input_ids': [1, 2], 'labels': [1, 2]}, {'input_ids': [1], 'labels': [1]}])
transformers: transformers.default_data_collator([{'a': [1, 2], 'label': 1}, {'a': [1], 'label': 0}])
transformers: transformers.TrainingArguments('out', per_device_train_batch_size=2, learning_rate=0.1, save_strategy='no', report_to=[])
transformers: transformers.TrainingArguments('out', load_best_model_at_end=True, eval_strategy='no')
transformers: transformers.TrainingArguments('out', eval_strategy='steps', save_strategy='epoch', load_best_model_at_end=True)
transformers: transformers.TrainingArguments('out', fp16=True)
transformers: transformers.TrainingArguments('out', bf16=True, fp16=True)
transformers: transformers.TrainingArguments('out', lr_scheduler_type='linear', optim='adamw_torch')
transformers: transformers.TrainingArguments('out', evaluation_strategy='epoch')
transformers: transformers.Trainer(hf_model(), transformers.TrainingArguments('out', report_to=[]), train_dataset=[{'input_ids': [1, 2], 'labels': [1, 2]}]).get_train_dataloader()
transformers: transformers.Trainer(hf_model(), transformers.TrainingArguments('out', report_to=[])).train()
transformers: transformers.Trainer(hf_model(), transformers.TrainingArguments('out', report_to=[])).evaluate()
transformers: transformers.Trainer(None, transformers.TrainingArguments('out', report_to=[]))
transformers: transformers.Trainer(hf_model(), transformers.TrainingArguments('out', report_to=[], max_steps=1), train_dataset=[{'input_ids': [1, 2]}]).train()
transformers: hf_model()(input_ids=torch.randint(9, (2, 4)), attention_mask=torch.ones(2, 4).long(), labels=torch.randint(9, (2, 4)))
transformers: hf_model()(torch.randint(9, (2, 4)), inputs_embeds=torch.rand(2, 4, 8))
transformers: hf_model()(None)
transformers: hf_model().resize_token_embeddings(12)
transformers: hf_model().generate(torch.randint(9, (2, 4)), max_new_tokens=2, num_beams=1)
transformers: transformers.AutoConfig.from_pretrained('no_such_folder/model')
transformers: transformers.AutoModel.from_pretrained('.')
transformers: transformers.AutoTokenizer.from_pretrained('.')
transformers: transformers.AutoConfig.for_model('no_such')
transformers: transformers.get_linear_schedule_with_warmup(optim.SGD(nn.Linear(2, 2).parameters(), lr=0.1), 2, 10).step()
"""

# What the targets use beside torch.
PRELUDE = """
import copy, io, numpy as np, torch, torch.distributed as dist, torch.nn as nn, torch.nn.functional as F
import torch.optim as optim, torch.utils.checkpoint, torch.utils.data as data
from torch.utils.data._utils.collate import default_collate as collate
import torch.utils.data.distributed
for name in ("torch.distributed.fsdp", "torchvision", "PIL.Image", "transformers", "torch.export", "torch.func"):
    try:
        module = __import__(name, fromlist=["x"])
        globals()[name.rpartition(".")[2]] = module
    except ImportError:
        pass
if "torchvision" in globals():
    from torchvision import transforms
class Stream(data.IterableDataset):
    def __iter__(self):
        return iter([1, 2])
class NotInitialised(nn.Module):
    def __init__(self):
        self.layer = nn.Linear(2, 2)
class NoForward(nn.Module):
    pass
def saved(value):
    file = io.BytesIO()
    torch.save(value, file)
    file.seek(0)
    return file
def hf_tokenizer():
    from tokenizers import Tokenizer, models, pre_tokenizers
    tokenizer = Tokenizer(models.WordLevel({"[UNK]": 0, "a": 1, "b": 2, "[PAD]": 3}, "[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    return transformers.PreTrainedTokenizerFast(tokenizer_object=tokenizer, pad_token="[PAD]", unk_token="[UNK]")
def hf_model():
    size = dict(vocab_size=9, n_positions=8, n_embd=8, n_layer=1, n_head=2, bos_token_id=1, eos_token_id=2)
    return transformers.GPT2LMHeadModel(transformers.GPT2Config(**size))
"""


def find_kind(value: Any, space: dict[str, Any]) -> str:
    """The key of MUTATIONS for a value."""
    torch = space["torch"]
    if isinstance(value, torch.Tensor):
        return "float tensor" if value.is_floating_point() else "long tensor"
    if isinstance(value, torch.nn.Module):
        return "module"
    if isinstance(value, (list, tuple)):
        are_tensors = value and all(isinstance(item, torch.Tensor) for item in value)
        return "tensors" if are_tensors else "sequence"
    for kind, types_ in (("bool", bool), ("int", int), ("float", float), ("text", str), ("mapping", dict)):
        if isinstance(value, types_):
            return kind
    return "object"


def find_arguments(node: ast.AST, is_value: bool = False) -> Iterator[ast.expr]:
    """The arguments of the calls in a statement, but not those of calls that only make a value."""
    if not isinstance(node, ast.Call):
        for child in ast.iter_child_nodes(node):
            yield from find_arguments(child, is_value)
        return
    name = getattr(node.func, "attr", getattr(node.func, "id", ""))
    yield from find_arguments(node.func, isinstance(node.func, ast.Attribute))
    if is_value and name in MAKERS:
        return
    for value in [*node.args, *(keyword.value for keyword in node.keywords)]:
        if not isinstance(value, (ast.Starred, ast.Lambda, ast.GeneratorExp)):
            yield value
        if name in AROUND:
            yield from find_arguments(value)


def list_calls(code: str, space: dict[str, Any]) -> list[str]:
    """The sound call and all wrong ones, without the same one twice."""
    calls = [code]
    body = ast.parse(code).body
    arguments = [(value, body[:i]) for i, statement in enumerate(body) for value in find_arguments(statement)]
    for value, before in arguments:
        start, end = value.col_offset, value.end_col_offset
        source = code[start:end]
        scope = dict(space)
        try:
            exec(compile(ast.Module(before, []), "call", "exec"), scope)
            kind = find_kind(eval(source, scope), space)
        except (
            Exception
        ):  # the sound call is not sound here, or the argument is a variable of a comprehension
            continue
        plain = source if re.fullmatch(r"[\w.]+(\(.*\))?|\[.*\]|'.*'", source) else "(" + source + ")"
        for template in MUTATIONS[kind]:
            calls.append(code[:start] + re.sub(r"\bx\b", plain.replace("\\", r"\\"), template) + code[end:])
        # Without the argument: with its name, and with the comma before or after it.
        head = re.sub(r"(,\s*)?(\w+=)?$", "", code[:start])
        tail = code[end:] if head.endswith("(") is False else re.sub(r"^,\s*", "", code[end:])
        calls.append(head + tail)
    return list(dict.fromkeys(calls))


def read_message(error: BaseException | str) -> str:
    """The class and the line of the message that says most."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()] or [""]
    line = lines[0]
    if line.startswith("Error(s) in loading") and len(lines) > 1:
        line = lines[1]
    # A worker's error has the traceback of the worker before its message.
    if line.startswith("Caught "):
        line = lines[-1].partition(": ")[2]
    return strip_paths(type(error).__name__ + ": " + re.sub(r"0x[0-9a-f]{6,}", "0x7f00", line)[:400])


def strip_paths(message: str) -> str:
    """A message without the folders of the machine that printed it."""
    return re.sub(r"(?<![:/\w])/(?:[\w.+-]+/)+", "…/", message)


def try_call(code: str, space: dict[str, Any]) -> list[str]:
    """The messages of one call: its error, or its warnings."""
    scope = dict(space)
    space["torch"].manual_seed(0)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            exec(compile(code, "call", "exec"), scope)
        except Exception as error:
            return [read_message(error)]
    return [read_message(warning.message) for warning in caught if warning.category is UserWarning]


def start_ranks(space: dict[str, Any]) -> int:
    """Fork rank 1 and join both to a gloo group; the number of this process's rank."""
    from datetime import timedelta

    folder = tempfile.mkdtemp()
    rank = 1 if os.fork() == 0 else 0
    address = "file://" + os.path.join(folder, "init")
    seconds = timedelta(seconds=4)
    space["dist"].init_process_group("gloo", init_method=address, rank=rank, world_size=2, timeout=seconds)
    return rank


def run_child(calls: list[str], first: int, space: dict[str, Any], pipe: int, has_ranks: bool) -> None:
    """Try the calls from this one on and write each result into the pipe. Never returns."""
    with open(os.devnull, "w") as nowhere:
        os.dup2(nowhere.fileno(), 1)
        os.dup2(nowhere.fileno(), 2)
    os.chdir(tempfile.mkdtemp())
    for i in range(first, len(calls)):
        rank = start_ranks(space) if has_ranks else 0
        messages = try_call(calls[i], space)
        if rank == 0:
            os.write(pipe, (json.dumps([i, messages]) + "\n").encode())
        if has_ranks:
            # A group that failed cannot be used again, so each call has its own processes.
            break
    os._exit(0)


def run_target(code: str, space: dict[str, Any], has_ranks: bool) -> dict[str, list[str]]:
    """Each wrong call of a target with its messages. A call that ended the process has none."""
    calls = list_calls(code, space) if not has_ranks else list_calls_of_ranks(code, space)
    found: dict[int, list[str]] = {}
    first = 0
    while first < len(calls):
        read_end, write_end = os.pipe()
        child = os.fork()
        if child == 0:
            os.setsid()
            run_child(calls, first, space, write_end, has_ranks)
        os.close(write_end)
        text = b""
        while select.select([read_end], [], [], SECONDS_PER_CALL)[0]:
            part = os.read(read_end, 65536)
            if not part:
                break
            text += part
            if has_ranks and text.endswith(b"\n"):
                break
        with contextlib.suppress(OSError):
            os.killpg(child, signal.SIGKILL)
        os.waitpid(child, 0)
        os.close(read_end)
        rows = [json.loads(line) for line in text.decode().splitlines()]
        found.update((i, messages) for i, messages in rows)
        # One that wrote nothing aborted, or never returned.
        first = max([first, *(i + 1 for i, _ in rows)]) + (not rows)
    sound = set(found.get(0, ()))
    # What the sound call warns of has nothing to do with the mutation.
    return {calls[i]: [m for m in messages if i == 0 or m not in sound] for i, messages in found.items()}


def list_calls_of_ranks(code: str, space: dict[str, Any]) -> list[str]:
    """The calls of a target for two ranks. Its arguments are evaluated as on rank 0."""
    real = space["dist"].get_rank
    space["dist"].get_rank = lambda *group: 0
    try:
        return list_calls(code, space)
    finally:
        space["dist"].get_rank = real


def normalise(message: str) -> str:
    """A message without what differs from call to call: numbers, shapes, names of functions and arguments."""
    message = re.sub(r"-?\b\d+(\.\d+)?(e[+-]?\d+)?(?=D?\b|-d|x\d)", "#", message)
    message = re.sub(r"#x\d+", "#x#", message)
    message = re.sub(r"\[#?(, #)*\]|\(#(, #)*,?\)", "[#]", message)
    message = re.sub(r"[\w.<>]+\(\)", "f()", message)
    message = re.sub(r"\"[\w<>:, ]+\" not implemented", '"kernel" not implemented', message)
    message = re.sub(r"(arguments?:? )['\"]\w+['\"]((,| and|, and) ['\"]\w+['\"])*", r"\1'x'", message)
    message = re.sub(r"(combination of arguments - got )\(.*?\)(, but|$)", r"\1(#)\2", message)
    return re.sub(r"argument \w+ must", "argument 'x' must", message)


def take_census(only: str = "") -> dict[str, Any]:
    """What the calls say: {"versions": {...}, "targets": number, "calls": number, "messages": {normalised: row}}."""
    os.environ.update(CUDA_VISIBLE_DEVICES="", HF_HUB_OFFLINE="1", TOKENIZERS_PARALLELISM="false")
    space: dict[str, Any] = {"__name__": "census"}
    warnings.simplefilter("ignore")
    exec(PRELUDE, space)
    sys.modules["census"] = types.ModuleType("census")
    sys.modules["census"].__dict__.update(space)
    space["torch"].set_num_threads(1)
    messages: dict[str, Any] = {}
    call_count = target_count = 0
    for line in filter(None, TARGETS.splitlines()):
        head, _, tail = line.partition(": ")
        needs, code = (head, tail) if head.isidentifier() else ("", line)
        if only not in line or needs not in ("", "ranks", "PIL", *space):
            continue
        target_count += 1
        for call, said in run_target(code, space, needs == "ranks").items():
            call_count += 1
            for text in said:
                row = messages.setdefault(normalise(text), {"message": text, "calls": [], "count": 0})
                row["count"] += 1
                if len(row["calls"]) < MAX_CALLS_PER_MESSAGE:
                    row["calls"].append(call)
    versions = {"python": platform.python_version()}
    for name in ("torch", "torchvision", "transformers"):
        if name in space:
            versions[name] = space[name].__version__.split("+")[0]
    return {
        "versions": versions,
        "only": only,
        "targets": target_count,
        "calls": call_count,
        "messages": messages,
    }


if __name__ == "__main__":
    started = time.time()
    try:
        census = take_census(*sys.argv[2:])
    except Exception:
        traceback.print_exc()
        sys.exit(1)
    with open(sys.argv[1], "w") as file:
        json.dump(census, file, indent=1)
    counts = "{targets} targets, {calls} calls".format(**census)
    print(f"{counts}, {len(census['messages'])} messages, {time.time() - started:.0f} s")
