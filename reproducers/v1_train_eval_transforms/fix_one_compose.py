"""V1: training and evaluation share the deterministic end of the torchvision transform.

Both pipelines end with the same object, which converts and normalises. Only the random crops
differ.

Symptom: none: accuracy 1.0 through both transforms
Needs:   torch, torchvision, PIL, numpy; cpu; about 5 s
Run:     python fix_one_compose.py
"""
import json
import sys

import torch
from torch import nn

try:
    from PIL import Image
    from torchvision import transforms
except ImportError as error:
    print("SKIPPED", error.name, "is not installed")
    sys.exit(77)

size, mean, std = 8, [0.45], [0.13]
normalise = transforms.Compose([transforms.ToTensor(), transforms.Normalize(mean, std)])
train_transform = transforms.Compose([transforms.RandomCrop(size), normalise])
eval_transform = transforms.Compose([transforms.CenterCrop(size), normalise])  # FIX: the same end


def accuracy(model, images, labels, transform):
    model.eval()
    with torch.no_grad():
        batch = torch.stack([transform(image) for image in images])
        return (model(batch).argmax(1) == labels).float().mean().item()


torch.set_num_threads(1)  # the tensors are too small for threads to help
torch.manual_seed(0)
labels = torch.arange(128) % 2  # dark and bright images of 10 x 10 pixels
pixels = (torch.randn(128, 10, 10) * 20 + 90 + 50 * labels.view(-1, 1, 1)).byte()
images = [Image.fromarray(array.numpy()) for array in pixels]
model = nn.Sequential(nn.Flatten(), nn.Linear(size * size, 2))
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)

if __name__ == "__main__":
    for _ in range(20):
        optimizer.zero_grad()
        batch = torch.stack([train_transform(image) for image in images])
        nn.functional.cross_entropy(model(batch), labels).backward()
        optimizer.step()

    in_training = accuracy(model, images, labels, train_transform)
    in_evaluation = accuracy(model, images, labels, eval_transform)
    healthy = in_training > 0.95 and in_evaluation > 0.95
    print("OBSERVED", json.dumps({"healthy": healthy, "accuracy_train_transform": in_training,
                                  "accuracy_eval_transform": in_evaluation}))
    sys.exit(0 if healthy else 1)
