import lightning
import torch
from sentence_transformers import SentenceTransformer
from torch import nn


def train(model, loader, optimizer):
    for x, y in loader:
        output = model(x).detach().numpy()
        optimizer.zero_grad()
        loss = torch.tensor(((output - y.numpy()) ** 2).mean(), requires_grad=True)  # BUG
        loss.backward()
        optimizer.step()


class Matcher(lightning.LightningModule):
    def __init__(self):
        super().__init__()
        self.encoder = SentenceTransformer("model")

    def forward(self, texts):
        return self.encoder.encode(texts, convert_to_tensor=True)  # BUG

    def training_step(self, batch, index):
        return nn.functional.triplet_margin_loss(*map(self, batch))
