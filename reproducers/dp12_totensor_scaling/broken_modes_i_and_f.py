"""DP12: ToTensor leaves the pixels at 0..255, because the array is not uint8.

ToTensor divides by 255 only what it knows to be 8-bit: numpy arrays of uint8 and PIL pictures of
the 8-bit modes. Any other dtype is converted and passed on as it is. A float picture in 0..255
then reaches the model 255 times too large, and nothing is raised.

Symptom: the same white picture is 1.0 in mode L and 255 in the modes I and F
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
    dtypes = [str(tensor.dtype)[6:] for tensor in tensors]

    healthy = largest == [1.0] * len(modes)
    print("OBSERVED", json.dumps({"healthy": healthy, "modes": modes, "dtype_by_mode": dtypes,
                                  "largest_by_mode": largest}))
    sys.exit(0 if healthy else 1)
