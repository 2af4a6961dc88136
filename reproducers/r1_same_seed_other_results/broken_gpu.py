"""R1: on a GPU index_add_ adds in a different order in each call.

Many threads of the GPU add into the same row with atomic operations. Their order is not fixed, and
adding floats in a different order rounds differently. Seeds have no effect on it.

Symptom: 20 calls with the same input give more than one result
Needs:   torch; cuda; about 5 s
Run:     python broken_gpu.py; python fix_gpu.py
"""
import json
import sys

import torch

num_calls = 20


if __name__ == "__main__":
    if not torch.cuda.is_available():
        print("SKIPPED needs a GPU")
        sys.exit(77)
    torch.manual_seed(0)
    values = torch.randn(1000000, device="cuda")
    rows = torch.randint(10, (1000000,), device="cuda")
    results = [torch.zeros(10, device="cuda").index_add_(0, rows, values)  # BUG: atomic additions
               for _ in range(num_calls)]

    distinct = len({tuple(result.tolist()) for result in results})
    healthy = distinct == 1 and len(results) == num_calls
    print("OBSERVED", json.dumps({"healthy": healthy, "calls": len(results),
                                  "distinct_results": distinct}))
    sys.exit(0 if healthy else 1)
