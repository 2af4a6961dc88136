"""DP13: one mean on three channels is broadcast to all of them without an error.

Normalize checks only that mean and std broadcast to the image. A single value, left over from a
greyscale data set, is applied to every channel.

Symptom: no error, and two of three channels are wrong
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
        T.Normalize(mean[:1], std[:1]),  # BUG: broadcast to all channels
    ):
        pixel.append([round(value, 2) for value in normalize(tensor)[:, 0, 0].tolist()])

    healthy = pixel[0] == pixel[1]
    print("OBSERVED", json.dumps({"healthy": healthy, "pixel_by_statistics_and_channel": pixel}))
    sys.exit(0 if healthy else 1)
