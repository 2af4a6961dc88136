"""T6: a non-blocking copy to the CPU is read too early.

A non-blocking copy to the CPU returns before the numbers have arrived. Nothing makes the CPU wait
for them, so a value that is read at once may be an old one.

Symptom: the value read right after the copy is the old one
Needs:   torch; cuda; about 10 s
Run:     python trap_cuda_read_too_early.py
"""
import json
import sys

import torch

numbers = 32 * 1024 * 1024
busy_cycles = 10 ** 9  # about half a second of work on the GPU

if __name__ == "__main__":
    if not torch.cuda.is_available():
        print("SKIPPED no CUDA device")
        sys.exit(77)

    loss = torch.zeros(numbers, device="cuda")
    old = loss.to("cpu", non_blocking=True)  # warm-up: memory for the result
    torch.cuda.synchronize()
    del old
    torch.cuda._sleep(busy_cycles)  # the step is still running
    loss += 1
    on_cpu = loss.to("cpu", non_blocking=True)  # BUG: returns before the values arrive
    seen = float(on_cpu[-1])
    torch.cuda.synchronize()

    healthy = seen == 1.0
    print("OBSERVED", json.dumps({"healthy": healthy, "seen": seen, "later": float(on_cpu[-1])}))
    sys.exit(0 if healthy else 1)
