"""O36: torch.multinomial is the first to refuse logits that overflowed in half precision.

The last activations are too large for float16. They become inf, softmax makes them nan, and the
sampling of the next token is the first operation that checks its input.

Symptom: RuntimeError: probability tensor contains either `inf`, `nan` or element < 0
Needs:   torch; cpu; about 3 s
Run:     python broken_multinomial.py
"""
import json
import sys

import torch

torch.manual_seed(0)
hidden = 300 * torch.rand(2, 10)

if __name__ == "__main__":
    logits = (hidden.half() * 300).float()  # BUG: float16 ends at 65504
    tokens = torch.multinomial(logits.softmax(1), 1)

    healthy = tokens.shape == (2, 1)
    print("OBSERVED", json.dumps({"healthy": healthy, "tokens": tokens.tolist()}))
    sys.exit(0 if healthy else 1)
