"""DP13: Normalize stands before the picture has become a float tensor.

Normalize subtracts and divides per channel, on float tensors shaped (..., C, H, W). Compose runs
its steps in the order of the list and checks nothing when it is built, so a Normalize in front of
the conversion meets a picture or an array at the first sample, and refuses it or passes it by.

Symptom: one statistic on three channels: no error, two channels wrong
Needs:   torch, torchvision, PIL; cpu; about 4 s
Run:     python trap_one_statistic.py
"""
import json
import sys

try:
    from PIL import Image
    from torchvision import transforms as T
except ImportError as missing:
    print(f"SKIPPED {missing.name} is not installed")
    sys.exit(77)

mean, std = [0.485, 0.456, 0.406], [0.229, 0.224, 0.225]

if __name__ == "__main__":
    tensor = T.ToTensor()(Image.new("RGB", (32, 32), (255, 255, 255)))
    pixel = []
    for normalize in (
        T.Normalize(mean, std),
        T.Normalize(mean[:1], std[:1]),  # BUG: spread over all channels, as a greyscale set's
    ):
        pixel.append([round(value, 2) for value in normalize(tensor)[:, 0, 0].tolist()])

    healthy = pixel[0] == pixel[1]
    print("OBSERVED", json.dumps({"healthy": healthy, "pixel_by_statistics_and_channel": pixel}))
    sys.exit(0 if healthy else 1)
