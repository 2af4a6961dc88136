"""M4: the first evaluation batch is 8 times as large as a training batch.

per_device_train_batch_size is 1, and per_device_eval_batch_size is still 8, its default. One batch
has 64 MiB of logits.

Symptom: RuntimeError: ... DefaultCPUAllocator: can't allocate memory, in the first evaluation batch
Needs:   torch, transformers, accelerate; cpu, linux; about 12 s
Run:     python broken_eval_batch_size.py
"""
import ctypes
import json
import sys
import tempfile

import torch
from torch import nn

try:
    import accelerate  # noqa: F401
    from transformers import Trainer, TrainingArguments
except ImportError:
    print("SKIPPED transformers or accelerate is not installed")
    sys.exit(77)
if not sys.platform.startswith("linux"):
    print("SKIPPED the memory of a process is limited here as on Linux")
    sys.exit(77)
import resource

num_texts, tokens, vocabulary = 8, 512, 4096


def limit_memory(mib):
    """Plays a full GPU: from here on the process gets this much more memory, and no more."""
    ctypes.CDLL(None).mallopt(-3, 2**16)  # give freed memory back at once
    with open("/proc/self/status") as status:
        fields = dict(line.split(":", 1) for line in status)
    limit = (int(fields["VmData"].split()[0]) << 10) + (mib << 20)
    resource.setrlimit(resource.RLIMIT_DATA, (limit, limit))


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.words, self.head = nn.Embedding(vocabulary, 16), nn.Linear(16, vocabulary)

    def forward(self, input_ids, labels=None):
        logits = self.head(self.words(input_ids))
        return {"loss": nn.functional.cross_entropy(logits.flatten(0, 1), labels.flatten()),
                "logits": logits}


if __name__ == "__main__":
    torch.manual_seed(0)
    torch.set_num_threads(1)
    ids = torch.randint(0, vocabulary, (num_texts, tokens))
    texts = [{"input_ids": row, "labels": row} for row in ids]
    with tempfile.TemporaryDirectory() as folder:
        settings = TrainingArguments(
            folder, max_steps=2, per_device_train_batch_size=1, save_strategy="no",
            report_to=[], use_cpu=True)  # BUG: the evaluation batch size is 8
        trainer = Trainer(Net(), settings, train_dataset=texts, eval_dataset=texts)
        limit_memory(96)
        trainer.train()
        metrics = trainer.evaluate()

    healthy = 5 < metrics["eval_loss"] < 20
    print("OBSERVED", json.dumps({"healthy": healthy, "loss": round(metrics["eval_loss"], 1)}))
    sys.exit(0 if healthy else 1)
