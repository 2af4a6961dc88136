"""DP13: Normalize stands before the picture has become a float tensor.

Normalize subtracts and divides per channel, on float tensors shaped (..., C, H, W). Compose runs
its steps in the order of the list and checks nothing when it is built, so a Normalize in front of
the conversion meets a picture or an array at the first sample, and refuses it or passes it by.

Symptom: none: geometry and colour may follow ToTensor
Needs:   torch, torchvision, PIL; cpu; about 4 s
Run:     python fix_resize_after_totensor.py
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
    picture = Image.new("RGB", (48, 40), (255, 255, 255))
    transform = T.Compose([
        T.ToTensor(),
        T.Resize(36),  # all four take a tensor as they take a picture
        T.RandomCrop(32),
        T.RandomHorizontalFlip(),
        T.ColorJitter(brightness=(1.0, 1.0)),
        T.Normalize(mean, std),  # FIX: this alone has its place: after ToTensor, and last
    ])
    tensor = transform(picture)
    pixel = [round(value, 2) for value in tensor[:, 0, 0].tolist()]

    healthy = pixel == [2.25, 2.43, 2.64] and list(tensor.shape) == [3, 32, 32]
    print("OBSERVED", json.dumps({"healthy": healthy, "pixel_by_channel": pixel}))
    sys.exit(0 if healthy else 1)
