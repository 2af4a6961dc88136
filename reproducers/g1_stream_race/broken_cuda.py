"""G1: on a GPU, a batch copied on a side stream is overwritten before the main stream has read it.

The block returns to the side stream's free list when the last reference goes. The next copy gets
it, while the read on the main stream is still queued.

Symptom: all 33554432 numbers of an image made from the first batch are wrong
Needs:   torch; cuda; about 10 s
Run:     python broken_cuda.py; python fix_cuda_record_stream.py
"""
import json
import sys
import threading

import torch

numbers_per_batch = 32 * 1024 * 1024  # bytes: large enough for a separate block
busy_cycles = 2 * 10 ** 8  # about a tenth of a second of work on the GPU


def send(batch, side, out):
    """What a transfer thread does: copy on a side stream, and wait for it."""
    with torch.cuda.stream(side):
        out.append(batch.to("cuda", non_blocking=True))
    side.synchronize()


def send_in_thread(batch, side):
    out = []
    thread = threading.Thread(target=send, args=(batch, side, out))
    thread.start()
    thread.join()
    return out.pop()


if __name__ == "__main__":
    if not torch.cuda.is_available():
        print("SKIPPED no CUDA device")
        sys.exit(77)

    side, main = torch.cuda.Stream(), torch.cuda.current_stream()
    first, second = (torch.full((numbers_per_batch,), value, dtype=torch.uint8).pin_memory()
                     for value in (10, 20))
    (torch.zeros(numbers_per_batch, dtype=torch.uint8, device="cuda").float() / 255).sum().item()
    batch = send_in_thread(first, side)
    address = batch.data_ptr()
    torch.cuda._sleep(busy_cycles)  # the model is still busy
    image = batch.float() / 255  # queued, not done
    del batch  # BUG: `side` may reuse the block now
    batch = send_in_thread(second, side)
    reused = batch.data_ptr() == address
    torch.cuda.synchronize()
    wrong = int(((image * 255).round() != 10).sum())

    healthy = wrong == 0
    print("OBSERVED", json.dumps({"healthy": healthy, "wrong_numbers": wrong,
                                  "numbers": numbers_per_batch, "same_memory": reused}))
    sys.exit(0 if healthy else 1)
