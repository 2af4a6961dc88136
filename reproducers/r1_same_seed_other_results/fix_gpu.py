"""R1: with use_deterministic_algorithms(True), index_add_ on a GPU gives one result.

torch takes a different kernel, which adds in a fixed order.

Symptom: none: 20 calls with the same input give one result
Needs:   torch; cuda; about 5 s
Run:     python fix_gpu.py
"""
import json
import sys

import torch

torch.use_deterministic_algorithms(True)  # FIX
num_calls = 20


if __name__ == "__main__":
    if not torch.cuda.is_available():
        print("SKIPPED needs a GPU")
        sys.exit(77)
    torch.manual_seed(0)
    values = torch.randn(1000000, device="cuda")
    rows = torch.randint(10, (1000000,), device="cuda")
    results = [torch.zeros(10, device="cuda").index_add_(0, rows, values)
               for _ in range(num_calls)]

    distinct = len({tuple(result.tolist()) for result in results})
    healthy = distinct == 1 and len(results) == num_calls
    print("OBSERVED", json.dumps({"healthy": healthy, "calls": len(results),
                                  "distinct_results": distinct}))
    sys.exit(0 if healthy else 1)
