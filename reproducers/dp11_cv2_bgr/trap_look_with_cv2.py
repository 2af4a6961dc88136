"""DP11: an image written by cv2 looks right although the model gets red and blue swapped.

cv2.imwrite expects BGR, as cv2.imread returns it. The two swaps cancel, so a file written by cv2
looks right whatever the model gets.

Symptom: the written file has [1.0, 0.04, 0.0], and the model gets [0.0, 0.04, 1.0]
Needs:   torch, torchvision, cv2, PIL; cpu; about 4 s
Run:     python trap_look_with_cv2.py
"""
import json
import os
import sys
import tempfile

try:
    import cv2
    from PIL import Image
    from torchvision.transforms import ToTensor
except ImportError as missing:
    print(f"SKIPPED {missing.name} is not installed")
    sys.exit(77)


def pixel(path):
    return [round(value, 2) for value in ToTensor()(Image.open(path))[:, 0, 0].tolist()]


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        path, proof = os.path.join(folder, "red.png"), os.path.join(folder, "proof.png")
        Image.new("RGB", (16, 16), (255, 10, 0)).save(path)

        image = cv2.imread(path)
        cv2.imwrite(proof, image)  # BUG: cv2 writes BGR as it reads it; the two swaps cancel
        by_eye = pixel(proof)
        by_model = [round(value, 2) for value in ToTensor()(image)[:, 0, 0].tolist()]
        true = pixel(path)

    rows = [true, by_eye, by_model]
    healthy = (by_eye == true) == (by_model == true)  # the file shows what the model gets
    print("OBSERVED", json.dumps({"healthy": healthy, "pixel_by_view_and_channel": rows}))
    sys.exit(0 if healthy else 1)
