"""DP22: a boolean attention mask that is cast to half precision is added and hides nothing.

scaled_dot_product_attention hides positions where a boolean mask is False. A float mask is added
to the scores, so 1.0 and 0.0 make little difference.

Symptom: no error, and the hidden positions keep 13 % of the attention each
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
    mask = mask.to(dtype)  # BUG: a boolean mask selects, a float mask is added
    weights = F.scaled_dot_product_attention(query, key, value, attn_mask=mask).flatten()

    healthy = weights.tolist() == [0.5, 0.5, 0, 0]
    print("OBSERVED", json.dumps({"healthy": healthy,
                                  "attention_weights": [round(w, 2) for w in weights.tolist()]}))
    sys.exit(0 if healthy else 1)
