"""DP11: read_image with ImageReadMode.RGB returns RGB from every file.

torchvision reads RGB, channels first. With mode=ImageReadMode.RGB grey and RGBA files get three
channels as well; without it they keep one and four.

Symptom: none: both loaders return [1.0, 0.04, 0.0], and grey and RGBA files have 3 channels
Needs:   torch, torchvision, PIL; cpu; about 4 s
Run:     python fix_read_image.py
"""
import json
import os
import sys
import tempfile

try:
    from PIL import Image
    from torchvision.io.image import ImageReadMode, read_image
    from torchvision.transforms import ToTensor
except ImportError as missing:
    print(f"SKIPPED {missing.name} is not installed")
    sys.exit(77)


modes = ["RGB", "L", "RGBA"]


def load(path):
    image = read_image(path, mode=ImageReadMode.RGB)  # FIX: uint8, channels first
    return image / 255


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "red.png")
        Image.new("RGB", (16, 16), (255, 10, 0)).save(path)
        tensors = [ToTensor()(Image.open(path)), load(path)]
        channels = []
        for mode in modes:
            Image.new(mode, (16, 16)).save(path)
            channels.append([len(read_image(path)), len(load(path))])

    loaders = ["PIL", "torchvision"]
    pixel = [[round(value, 2) for value in tensor[:, 0, 0].tolist()] for tensor in tensors]
    healthy = pixel[0] == pixel[1] and all(row[1] == 3 for row in channels)
    print("OBSERVED", json.dumps({"healthy": healthy, "loaders": loaders,
                                  "pixel_by_loader_and_channel": pixel, "modes": modes,
                                  "channels_by_mode_without_and_with_rgb": channels}))
    sys.exit(0 if healthy else 1)
