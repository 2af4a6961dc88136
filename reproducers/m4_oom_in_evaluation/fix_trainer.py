"""M4: preprocess_logits_for_metrics reduces the logits of each batch to token ids.

The Trainer then keeps one number for each token, and compute_metrics gets these numbers.

Symptom: none: all 128 texts are evaluated
Needs:   torch, transformers, accelerate; cpu, linux; about 12 s
Run:     python fix_trainer.py
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


def keep_token_ids(logits, labels):
    return logits.argmax(-1)  # FIX: one number for each token


def compute_metrics(result):
    correct = result.predictions == result.label_ids  # FIX: these are token ids now
    return {"accuracy": correct.mean().item(), "texts": len(correct)}


if __name__ == "__main__":
    torch.manual_seed(0)
    torch.set_num_threads(1)
    ids = torch.randint(0, vocabulary, (num_texts, tokens))
    texts = [{"input_ids": row, "labels": row} for row in ids]
    with tempfile.TemporaryDirectory() as folder:
        settings = TrainingArguments(
            folder, max_steps=2, per_device_train_batch_size=batch_size, save_strategy="no",
            per_device_eval_batch_size=batch_size, report_to=[], use_cpu=True)
        trainer = Trainer(Net(), settings, train_dataset=texts, eval_dataset=texts,
                          compute_metrics=compute_metrics,
                          preprocess_logits_for_metrics=keep_token_ids)  # FIX
        limit_memory(96)
        trainer.train()
        metrics = trainer.evaluate()

    healthy = metrics["eval_texts"] == num_texts and metrics["eval_accuracy"] < 0.5
    print("OBSERVED", json.dumps({"healthy": healthy, "texts": metrics["eval_texts"]}))
    sys.exit(0 if healthy else 1)
