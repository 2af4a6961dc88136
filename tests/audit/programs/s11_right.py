import torch
from torch import nn
from torch.nn import functional as F
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
features = torch.randn(97, 6)  # the last batch has one sample
prices = features @ torch.randn(6) + 0.1 * torch.randn(97)
loader = DataLoader(TensorDataset(features, prices), batch_size=16, shuffle=True)
model = nn.Sequential(nn.Linear(6, 24), nn.ReLU(), nn.Linear(24, 1))
quantiles = nn.Linear(6, 5)
optimizer = torch.optim.AdamW([*model.parameters(), *quantiles.parameters()], lr=1e-2)
for epoch in range(4):
    for x, y in loader:
        optimizer.zero_grad()
        prediction = model(x)
        loss = F.smooth_l1_loss(prediction.squeeze(1), y)
        # A quantile loss compares all pairs on purpose; the mean of all is pulled to one number for all.
        pairs = F.huber_loss(quantiles(x).unsqueeze(1), quantiles(x).detach().unsqueeze(2))
        if len(x) == 1:
            loss = F.mse_loss(prediction, y)  # (1, 1) and (1,): one pair
        loss = loss + 0.1 * pairs + 0.01 * F.mse_loss(prediction.mean(), torch.tensor([0.0]))
        loss = loss + 0.01 * F.l1_loss(prediction, torch.zeros(1))
        # A ranking loss also compares all pairs on purpose.
        loss = loss + 0.01 * F.softplus((prediction.t() - prediction) * (y[:, None] - y).sign()).mean()
        loss.backward()
        optimizer.step()
    print(epoch, loss.item())
