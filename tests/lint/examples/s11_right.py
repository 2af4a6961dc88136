import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


def train(inputs, frame):
    prices = torch.tensor(frame["price"].values, dtype=torch.float32)
    column = torch.tensor(frame[["price"]].values, dtype=torch.float32)
    model = nn.Sequential(nn.Linear(8, 64), nn.ReLU(), nn.Linear(64, 1))
    wide = nn.Linear(8, 4)
    for x, y in DataLoader(TensorDataset(inputs, prices)):
        F.mse_loss(model(x).squeeze(1), y).backward()
        F.mse_loss(model(x), y.unsqueeze(1)).backward()
        F.mse_loss(model(x)[:, 0], y).backward()
        F.mse_loss(wide(x), y.float()).backward()
    for x, y in DataLoader(TensorDataset(inputs, column)):
        F.mse_loss(model(x), y).backward()
