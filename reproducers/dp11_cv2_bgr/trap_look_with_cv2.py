"""DP11: pictures read with cv2 reach the model with red and blue swapped.

cv2 stores colour as BGR: blue first. PIL, torchvision and the models trained with them expect
RGB. Both are valid H x W x 3 arrays of uint8, so nothing can tell them apart and nothing is raised;
the model sees every picture with red and blue exchanged.

Symptom: the picture looks right when cv2 writes or shows it, and is wrong for the model
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
    healthy = (by_eye == true) == (by_model == true)  # the look tells what the model gets
    print("OBSERVED", json.dumps({"healthy": healthy, "pixel_by_view_and_channel": rows}))
    sys.exit(0 if healthy else 1)
