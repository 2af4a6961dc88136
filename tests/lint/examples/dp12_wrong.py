import numpy as np
from PIL import Image
from torchvision import transforms

to_tensor = transforms.ToTensor()
prepare = transforms.Compose([transforms.ToTensor(), transforms.Normalize([0.5] * 3, [0.5] * 3)])


def load(path):
    image = Image.open(path).convert("RGB")
    tensor = to_tensor(image)
    tensor = tensor.unsqueeze(0).float() / 255.0  # BUG
    other = to_tensor(image)
    other = other.div(255)  # BUG
    array = np.array(Image.open(path)).astype(np.float32)
    return tensor, other, prepare(array)  # BUG
