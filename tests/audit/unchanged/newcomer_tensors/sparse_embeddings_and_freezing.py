# Sparse embedding gradients with SparseAdam, frozen layers that thaw later, and parameter groups added in the middle.
import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
emb = nn.Embedding(6, 3, sparse=True)
bag = nn.EmbeddingBag(6, 3, mode="sum", sparse=True)
head = nn.Linear(3, 1)
sparse = torch.optim.SparseAdam(list(emb.parameters()) + list(bag.parameters()), lr=0.1)
dense = torch.optim.AdamW(head.parameters(), lr=0.1)
head.bias.requires_grad_(False)
for step in range(4):
    ids = torch.randint(6, (2, 3))
    out = head(emb(ids).mean(1) + bag(ids))
    loss = out.pow(2).mean()
    for o in (sparse, dense):
        o.zero_grad()
    loss.backward()
    print(emb.weight.grad.is_sparse, emb.weight.grad._nnz(), emb.weight.grad.is_coalesced(), head.bias.grad is None, loss.item().hex())
    for o in (sparse, dense):
        o.step()
    if step == 1:
        head.bias.requires_grad_(True)
        extra = nn.Parameter(torch.zeros(1))
        dense.add_param_group({"params": [extra], "lr": 0.5, "weight_decay": 0.0})
    if step >= 1:
        extra.grad = torch.ones(1)
print([len(g["params"]) for g in dense.param_groups], extra.item().hex(), len(dense.state), sorted(dense.param_groups[1])[:4])
try:
    torch.optim.Adam(emb.parameters()).step()
    emb(torch.tensor([1])).sum().backward()
    torch.optim.Adam(emb.parameters()).step()
except RuntimeError as e:
    print(str(e)[:60])
print(emb.weight.detach().double().sum().item().hex(), bag.weight.detach().double().sum().item().hex())
