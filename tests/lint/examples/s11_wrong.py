import pandas as pd
import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

frame = pd.read_csv("houses.csv")
inputs = torch.tensor(frame.drop(columns=["price"]).values, dtype=torch.float32)
prices = torch.tensor(frame["price"].values, dtype=torch.float32)
loader = DataLoader(TensorDataset(inputs, prices), batch_size=64, shuffle=True)
model = nn.Sequential(nn.Linear(8, 64), nn.ReLU(), nn.Linear(64, 1))
optimizer = torch.optim.Adam(model.parameters())
criterion = nn.MSELoss()
for x, y in loader:
    optimizer.zero_grad()
    loss = criterion(model(x), y)  # BUG: (64, 1) and (64,)
    loss.backward()
    optimizer.step()


def learn(q_net, target_net, state, action, reward, after, gamma):
    value = q_net(state).gather(1, action.unsqueeze(1))
    with torch.no_grad():
        best = target_net(after).max(1)[0]
        expected = reward + gamma * best
    return F.smooth_l1_loss(value, expected)  # BUG: (n, 1) and (n,)
