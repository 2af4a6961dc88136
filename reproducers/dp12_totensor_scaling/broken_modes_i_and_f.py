"""DP12: ToTensor does not scale PIL images of the modes I and F.

Both modes hold 32-bit values, integers in I and floats in F. ToTensor cannot know their maximum,
so it passes the values on, although its documentation lists both modes.

Symptom: the same white image is 1.0 in mode L and 255 in the modes I and F
Needs:   torch, torchvision, PIL; cpu; about 4 s
Run:     python broken_modes_i_and_f.py
"""
import json
import sys

try:
    from PIL import Image
    from torchvision.transforms import ToTensor
except ImportError as missing:
    print(f"SKIPPED {missing.name} is not installed")
    sys.exit(77)

if __name__ == "__main__":
    modes = ["L", "RGB", "I", "F"]
    tensors = []
    for mode in modes:
        white = Image.new(mode, (4, 4), (255, 255, 255) if mode == "RGB" else 255)
        tensors.append(ToTensor()(white))  # BUG: I and F are not 8-bit, so they are not scaled
    largest = [tensor.max().item() for tensor in tensors]
    dtypes = [str(tensor.dtype).replace("torch.", "") for tensor in tensors]

    healthy = largest == [1.0] * len(modes)
    print("OBSERVED", json.dumps({"healthy": healthy, "modes": modes, "dtype_by_mode": dtypes,
                                  "largest_by_mode": largest}))
    sys.exit(0 if healthy else 1)
