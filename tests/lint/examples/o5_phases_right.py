import torch
from torch import nn


class Trainer:
    """Its caller switches gradients off."""

    def run(self, phase, loader):
        if phase == "train":
            self.model.train()
        else:
            self.model.eval()
        for x, y in loader:
            loss = nn.functional.cross_entropy(self.model(x), y)
            if phase == "train":
                self.optimizer.zero_grad()
                loss.backward()
                self.optimizer.step()


def predict(model, scales, mode):
    """It trains as well: its argument says whether."""
    if mode == "inference":
        model.eval()
    else:
        model.train()
    outputs = []
    for scale in scales:
        outputs.append(model(scale))
    return outputs


def main(model, loaders, optimizer, epochs):
    for _ in range(epochs):
        for phase in ("train", "valid"):
            model.train() if phase == "train" else model.eval()
            for x, y in loaders[phase]:
                with torch.set_grad_enabled(phase == "train"):
                    loss = nn.functional.cross_entropy(model(x), y)
                if phase == "train":
                    optimizer.zero_grad()
                    loss.backward()
                    optimizer.step()


if __name__ == "__main__":
    main(None, {}, None, 1)
