"""O37: take as many values as there are: from the batch, and from the output in each mode.

Look at one batch and one output before you write names for their values.

Symptom: none: all images of the dataset, and logits of all samples in both modes
Needs:   torch; cpu; about 2 s
Run:     python fix_unpack.py
"""
import json
import sys

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

num_images = 8


class Net(nn.Module):
    """As Inception: in training mode it returns two outputs, in evaluation mode one."""

    def __init__(self):
        super().__init__()
        self.head = nn.Linear(8, 3)
        self.aux = nn.Linear(8, 3)

    def forward(self, x):
        return (self.head(x), self.aux(x)) if self.training else self.head(x)


if __name__ == "__main__":
    dataset = TensorDataset(torch.ones(num_images, 8), torch.zeros(num_images))
    model = Net()
    seen, shapes = 0, []
    for images, labels in DataLoader(dataset, batch_size=4):  # FIX: two, as the dataset returns
        seen += len(images)
        for is_training in (True, False):
            model.train(is_training)
            output = model(images)
            logits = output[0] if isinstance(output, tuple) else output  # FIX: in both modes
            shapes.append(list(logits.shape))

    healthy = seen == num_images and shapes == [[4, 3]] * 4
    print("OBSERVED", json.dumps({"healthy": healthy, "images": seen, "outputs": len(shapes)}))
    sys.exit(0 if healthy else 1)
