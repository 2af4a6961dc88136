"""T6: the copy of each batch to the GPU holds up the program.

A copy is asynchronous only from pinned memory and with non_blocking=True; without either of them
it waits. The DataLoader pins what its workers collate, as its last step: what is computed from
that afterwards lies in ordinary memory again.

Symptom: the way back, with non_blocking=True: old numbers are read (not run yet)
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
    old = loss.to("cpu", non_blocking=True)  # warms up: pinned memory for the result
    torch.cuda.synchronize()
    del old
    torch.cuda._sleep(busy_cycles)  # the step is still under way
    loss += 1
    on_cpu = loss.to("cpu", non_blocking=True)  # BUG: returns before the numbers have come
    seen = float(on_cpu.max())
    torch.cuda.synchronize()

    healthy = seen == 1.0
    print("OBSERVED", json.dumps({"healthy": healthy, "seen": seen, "later": float(on_cpu.max())}))
    sys.exit(0 if healthy else 1)
