"""DP22: a batch cast to half precision as a whole, with its ids, labels and masks.

Half precision is for values that are computed with. Token ids, class labels and masks name
things: as bfloat16 or float16 they are refused where an index is due, and where they are not,
they have lost digits. bfloat16 holds every integer up to 256, and then every second one.

Symptom: a mask in the queries' dtype hides nothing: hidden positions keep their weight
Needs:   torch; cpu; about 2 s
Run:     python trap_mask_added.py; python fixed.py
"""
import json
import sys

import torch
from torch.nn import functional as F

torch.manual_seed(0)
dtype = torch.bfloat16


if __name__ == "__main__":
    if not hasattr(F, "scaled_dot_product_attention"):
        print("SKIPPED this torch has no scaled_dot_product_attention (2.0 and later have it)")
        sys.exit(77)
    query = torch.zeros(1, 1, 1, 4, dtype=dtype)
    key = torch.zeros(1, 1, 4, 4, dtype=dtype)
    value = torch.eye(4).to(dtype)[None, None]  # so that the output is the attention weights
    mask = torch.tensor([[True, True, False, False]])
    mask = mask.to(dtype)  # BUG: True and False choose, 1.0 and 0.0 are added to the scores
    weights = F.scaled_dot_product_attention(query, key, value, attn_mask=mask).flatten()

    healthy = weights.tolist() == [0.5, 0.5, 0, 0]
    print("OBSERVED", json.dumps({"healthy": healthy,
                                  "attention_weights": [round(w, 2) for w in weights.tolist()]}))
    sys.exit(0 if healthy else 1)
