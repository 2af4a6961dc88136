"""M4: with one text in each batch, the kept logits are as large as before.

64 batches of 1 MiB of logits are as much as 8 batches of 8 MiB.

Symptom: RuntimeError: ... DefaultCPUAllocator: can't allocate memory, in a later batch
Needs:   torch; cpu, linux; about 3 s
Run:     python trap_smaller_batch.py
"""
import ctypes
import json
import sys

import torch
from torch import nn
from torch.utils.data import DataLoader

if not sys.platform.startswith("linux"):
    print("SKIPPED the memory of a process is limited here as on Linux")
    sys.exit(77)
import resource

num_texts, tokens, vocabulary, batch_size = 64, 64, 4096, 1


def limit_memory(mib):
    """Plays a full GPU: from here on the process gets this much more memory, and no more."""
    ctypes.CDLL(None).mallopt(-3, 2**16)  # give freed memory back at once
    with open("/proc/self/status") as status:
        fields = dict(line.split(":", 1) for line in status)
    limit = (int(fields["VmData"].split()[0]) << 10) + (mib << 20)
    resource.setrlimit(resource.RLIMIT_DATA, (limit, limit))


@torch.no_grad()
def evaluate(model, loader):
    model.eval()
    predictions, labels = [], []
    for ids in loader:
        logits = model(ids)
        predictions.append(logits)  # BUG: 4096 numbers for each token
        labels.append(ids)
    predictions, labels = torch.cat(predictions).argmax(-1), torch.cat(labels)  # BUG: at the end
    return (predictions == labels).float().mean().item(), len(labels)


if __name__ == "__main__":
    torch.manual_seed(0)
    torch.set_num_threads(1)
    words = nn.functional.normalize(torch.randn(vocabulary, 16))
    model = nn.Sequential(nn.Embedding.from_pretrained(words), nn.Linear(16, vocabulary))
    model.load_state_dict({"0.weight": words, "1.weight": words, "1.bias": torch.zeros(vocabulary)})
    loader = DataLoader(torch.randint(0, vocabulary, (num_texts, tokens)), batch_size=batch_size)
    limit_memory(40)
    accuracy, seen = evaluate(model, loader)

    healthy = seen == num_texts and accuracy > 0.99
    print("OBSERVED", json.dumps({"healthy": healthy, "texts": seen,
                                  "accuracy": round(accuracy, 2)}))
    sys.exit(0 if healthy else 1)
