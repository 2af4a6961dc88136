"""G1: a prefetcher with both waits: before reading, and before the memory is used again.

The main stream waits for the copy before it reads (wait_stream), and the allocator waits for the
main stream before it uses the memory again (record_stream). Without the first, the model may read a
batch that is not there yet; without the second, a batch that is overwritten.

Symptom: none: every batch is right
Needs:   torch; cuda; about 10 s
Run:     python fix_cuda_prefetcher.py
"""
import json
import sys

import torch

num_batches, numbers_per_batch = 8, 32 * 1024 * 1024
busy_cycles = 2 * 10 ** 8  # about a tenth of a second of work on the GPU


class Prefetcher:
    """Copies the next batch on a side stream while the model works on this one."""

    def __init__(self, loader):
        self.loader, self.side = loader, torch.cuda.Stream()

    def copy(self, batch):
        if batch is None:
            return None
        with torch.cuda.stream(self.side):
            return batch.to("cuda", non_blocking=True)

    def __iter__(self):
        batches = iter(self.loader)
        following = self.copy(next(batches, None))
        while following is not None:
            batch, side = following, self.side
            main = torch.cuda.current_stream()
            main.wait_stream(side)  # FIX: do not read before the copy is done
            batch.record_stream(main)  # FIX: do not reuse the memory before main has read it
            following = self.copy(next(batches, None))
            yield batch


if __name__ == "__main__":
    if not torch.cuda.is_available():
        print("SKIPPED no CUDA device")
        sys.exit(77)
    loader = (torch.full((numbers_per_batch,), number, dtype=torch.uint8).pin_memory()
              for number in range(num_batches))
    wrong = []
    for number, batch in enumerate(Prefetcher(loader)):
        torch.cuda._sleep(busy_cycles)  # the model is still busy with the batch before
        wrong.append((batch != number).sum())
        del batch
    wrong = [int(count) for count in wrong]

    healthy = wrong == [0] * num_batches
    print("OBSERVED", json.dumps({"healthy": healthy, "wrong_numbers_by_batch": wrong}))
    sys.exit(0 if healthy else 1)
