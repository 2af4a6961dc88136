"""DP13: Normalize stands before the picture has become a float tensor.

Normalize subtracts and divides per channel, on float tensors shaped (..., C, H, W). Compose runs
its steps in the order of the list and checks nothing when it is built, so a Normalize in front of
the conversion meets a picture or an array at the first sample, and refuses it or passes it by.

Symptom: RuntimeError: three statistics do not fit one channel
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
    picture = Image.new("L", (28, 28), 255)  # as MNIST and many scans: one channel
    transform = T.Compose([T.ToTensor(), T.Normalize(mean, std)])  # BUG: 3 statistics, 1 channel
    channels = transform(picture).shape[0]

    healthy = channels == len(mean)
    print("OBSERVED", json.dumps({"healthy": healthy, "channels": channels}))
    sys.exit(0 if healthy else 1)
