"""M4: eval_accumulation_steps moves the logits to host memory, which then is full.

After each step the Trainer turns the logits into numpy arrays. They are still those of all texts,
and for compute_metrics they are joined once more.

Symptom: numpy or torch cannot allocate host memory, in trainer.evaluate()
Needs:   torch, transformers, accelerate; cpu, linux; about 12 s
Run:     python trap_accumulation_steps.py
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

num_texts, tokens, vocabulary, batch_size = 128, 64, 4096, 4


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


def compute_metrics(result):
    correct = result.predictions.argmax(-1) == result.label_ids  # BUG: as before
    return {"accuracy": correct.mean().item(), "texts": len(correct)}


if __name__ == "__main__":
    torch.manual_seed(0)
    torch.set_num_threads(1)
    ids = torch.randint(0, vocabulary, (num_texts, tokens))
    texts = [{"input_ids": row, "labels": row} for row in ids]
    with tempfile.TemporaryDirectory() as folder:
        settings = TrainingArguments(
            folder, max_steps=2, per_device_train_batch_size=batch_size, save_strategy="no",
            per_device_eval_batch_size=batch_size, report_to=[], use_cpu=True,
            eval_accumulation_steps=1)  # BUG: the logits move, and do not shrink
        trainer = Trainer(Net(), settings, train_dataset=texts, eval_dataset=texts,
                          compute_metrics=compute_metrics)
        limit_memory(96)
        trainer.train()
        metrics = trainer.evaluate()

    healthy = metrics["eval_texts"] == num_texts and metrics["eval_accuracy"] < 0.5
    print("OBSERVED", json.dumps({"healthy": healthy, "texts": metrics["eval_texts"]}))
    sys.exit(0 if healthy else 1)
