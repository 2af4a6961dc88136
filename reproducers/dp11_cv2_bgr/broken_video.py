"""DP11: the frames of cv2.VideoCapture are BGR as well.

cv2 returns colour images as BGR, blue first; PIL and torchvision return RGB. Both are 8-bit
images with three channels, so neither ToTensor nor the model can tell them apart.

Symptom: red frames arrive as [0.0, 0.0, 1.0]
Needs:   torch, torchvision, cv2, numpy; cpu; about 4 s
Run:     python broken_video.py
"""
import json
import os
import sys
import tempfile

import numpy as np

try:
    import cv2
    from torchvision.transforms import ToTensor
except ImportError as missing:
    print(f"SKIPPED {missing.name} is not installed")
    sys.exit(77)


def frames(path):
    capture = cv2.VideoCapture(path)
    while True:
        found, frame = capture.read()  # BUG: a frame is BGR, from a file or a camera
        if not found:
            break
        yield ToTensor()(frame)
    capture.release()


if __name__ == "__main__":
    red = np.zeros((64, 64, 3), dtype=np.uint8)
    red[:, :, 2] = 255  # red, in the order that cv2 writes
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "red.avi")
        writer = cv2.VideoWriter(path, cv2.VideoWriter_fourcc(*"MJPG"), 5, (64, 64))
        for _ in range(3):
            writer.write(red)
        writer.release()
        films = list(frames(path))
    if not films:
        print("SKIPPED cv2 cannot write or read MJPG here")
        sys.exit(77)

    pixel = [[round(value, 1) for value in frame[:, 32, 32].tolist()] for frame in films]
    healthy = all(red > 0.9 and blue < 0.1 for red, _, blue in pixel)
    print("OBSERVED", json.dumps({"healthy": healthy, "pixel_by_frame_and_channel": pixel}))
    sys.exit(0 if healthy else 1)
