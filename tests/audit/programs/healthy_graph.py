"""A graph network with sparse inputs, and gradients of each sample by vmap: tensors that cannot be read."""

import torch
from torch import nn


class Graph(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.second = nn.Linear(12, 16), nn.Linear(16, 4)

    def forward(self, features, adjacency):
        hidden = torch.sparse.mm(features, self.first.weight.t()) + self.first.bias
        hidden = torch.relu(torch.sparse.mm(adjacency, hidden))
        return nn.functional.log_softmax(torch.sparse.mm(adjacency, self.second(hidden)), dim=1)


torch.manual_seed(0)
nodes = 60
labels = torch.randint(0, 4, (nodes,))
features = (torch.rand(nodes, 12) < 0.3).float()
features[torch.arange(nodes), labels] = 1
adjacency = ((labels[:, None] == labels) & (torch.rand(nodes, nodes) < 0.2)).float() + torch.eye(nodes)
features, adjacency = features.to_sparse(), (adjacency / adjacency.sum(1, keepdim=True)).to_sparse()
train, val = torch.arange(40), torch.arange(40, 60)
model = Graph()
optimizer = torch.optim.Adam(model.parameters(), lr=0.02)
for epoch in range(20):
    model.train()
    optimizer.zero_grad()
    loss = nn.functional.nll_loss(model(features, adjacency)[train], labels[train])
    loss.backward()
    optimizer.step()
    model.eval()
    with torch.no_grad():
        accuracy = (model(features, adjacency)[val].argmax(1) == labels[val]).float().mean().item()
print(loss.item(), accuracy)

if hasattr(torch, "func"):  # torch 2.0
    layer = nn.Linear(12, 4)
    weights = dict(layer.named_parameters())

    def loss_of(weights, sample, label):
        scores = torch.func.functional_call(layer, weights, (sample[None],))
        return nn.functional.cross_entropy(scores, label[None])

    gradients = torch.func.vmap(torch.func.grad(loss_of), (None, 0, 0))
    print(gradients(weights, features.to_dense(), labels)["weight"].shape)
