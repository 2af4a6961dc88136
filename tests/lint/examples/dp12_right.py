import numpy as np
import torch
from PIL import Image
from torchvision import transforms

prepare = transforms.Compose([transforms.ToTensor(), transforms.Normalize([0.5] * 3, [0.5] * 3)])


def load(path):
    image = Image.open(path).convert("RGB")
    array = np.array(image).astype(np.float32) / 255
    tensor = torch.from_numpy(np.array(image)).permute(2, 0, 1)
    return prepare(array), prepare(image), tensor.float().div(255), tensor.cuda().float() / 255
