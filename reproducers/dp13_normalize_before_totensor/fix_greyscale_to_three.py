"""DP13: Grayscale with three output channels gives Normalize the three channels it needs.

The grey value is copied into three channels, so three means and stds fit.

Symptom: none: three channels, three means
Needs:   torch, torchvision, PIL; cpu; about 4 s
Run:     python fix_greyscale_to_three.py
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
    transform = T.Compose([
        T.Grayscale(num_output_channels=3),  # FIX: as many channels as means
        T.ToTensor(),
        T.Normalize(mean, std),
    ])
    channels = transform(image).shape[0]

    healthy = channels == len(mean)
    print("OBSERVED", json.dumps({"healthy": healthy, "channels": channels}))
    sys.exit(0 if healthy else 1)
