"""G2: ranks forked after torch.cuda.is_available() may not use CUDA.

No DataLoader is involved. The parent has put nothing on a GPU; it has only asked.

Symptom: both ranks are refused because of the fork
Needs:   torch; cpu or cuda, linux; about 3 s
Run:     python broken_ranks.py; python fix_spawn.py
"""
import json
import sys

import torch


def train(rank, queue):
    try:
        torch.zeros(1, device="cuda")
        queue.put("ran")
    except RuntimeError as error:  # without a GPU it fails anyway
        queue.put("refused: forked" if "re-initialize" in str(error) else "no GPU here")


if __name__ == "__main__":
    if torch.version.cuda is None:
        print("SKIPPED this torch is built without CUDA")
        sys.exit(77)
    use_cuda = torch.cuda.is_available()
    context = torch.multiprocessing.get_context("fork")  # BUG: after is_available()
    queue = context.SimpleQueue()
    ranks = [context.Process(target=train, args=(rank, queue)) for rank in range(2)]
    for process in ranks:
        process.start()
    answers = [queue.get() for process in ranks]
    for process in ranks:
        process.join()

    healthy = answers == ["ran" if use_cuda else "no GPU here"] * 2
    print("OBSERVED", json.dumps({"healthy": healthy, "answer_by_rank": answers}))
    sys.exit(0 if healthy else 1)
