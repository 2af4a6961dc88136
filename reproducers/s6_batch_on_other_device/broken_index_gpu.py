"""S6: indices on the GPU for a tensor on the CPU.

The indices of x[i] may be on the CPU, or where x is. Here x is on the CPU and i is on the GPU.

Symptom: indices should be either on cpu or on the same device as the indexed tensor (cpu)
Needs:   torch; cuda; about 10 s
Run:     python broken_index_gpu.py
"""
import json
import sys

import torch


if __name__ == "__main__":
    if not torch.cuda.is_available():
        print("SKIPPED this needs a GPU")
        sys.exit(77)
    table = torch.arange(10.0)
    rows = torch.tensor([1, 2]).cuda()
    chosen = table[rows]  # BUG: write table[rows.to(table.device)]

    healthy = chosen.tolist() == [1.0, 2.0]
    print("OBSERVED", json.dumps({"healthy": healthy, "chosen": chosen.tolist()}))
    sys.exit(0 if healthy else 1)
