"""DP13: three means and stds do not fit an image of one channel.

Normalize broadcasts mean and std over the channels and writes the result into the image. Three
values per pixel do not fit into one channel.

Symptom: RuntimeError: output with shape [1, 28, 28] doesn't match the broadcast shape [3, 28, 28]
Needs:   torch, torchvision, PIL; cpu; about 4 s
Run:     python broken_greyscale.py
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
    image = Image.new("L", (28, 28), 255)  # one channel, like MNIST and many scans
    transform = T.Compose([T.ToTensor(), T.Normalize(mean, std)])  # BUG: 3 means, 1 channel
    channels = transform(image).shape[0]

    healthy = channels == len(mean)
    print("OBSERVED", json.dumps({"healthy": healthy, "channels": channels}))
    sys.exit(0 if healthy else 1)
