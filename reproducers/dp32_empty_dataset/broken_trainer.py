"""DP32: the Trainer asks for max_steps, because drop_last leaves no batch.

The set has 3 samples and the batch size is 8. The Trainer takes the length 0 of its loader for no
length.

Symptom: ValueError: args.max_steps must be set to a positive value
Needs:   torch, transformers, accelerate; cpu; about 10 s
Run:     python broken_trainer.py
"""
import json
import sys
import tempfile

import torch
from torch import nn

try:
    import accelerate  # noqa: F401
    import transformers
    from transformers import Trainer, TrainingArguments
except ImportError:
    print("SKIPPED transformers or accelerate is not installed")
    sys.exit(77)

if tuple(map(int, transformers.__version__.split(".")[:2])) < (4, 49):
    print("SKIPPED transformers before 4.49 makes no step and says nothing")
    sys.exit(77)

samples = [{"x": torch.ones(2), "labels": torch.ones(1)} for _ in range(3)]


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(2, 1)

    def forward(self, x, labels=None):
        return {"loss": nn.functional.mse_loss(self.linear(x), labels)}


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        settings = TrainingArguments(
            folder, num_train_epochs=2, per_device_train_batch_size=8, save_strategy="no",
            report_to=[], use_cpu=True,
            dataloader_drop_last=True)  # BUG: 3 samples are less than a batch
        trainer = Trainer(Net(), settings, train_dataset=samples)
        trainer.train()

    healthy = trainer.state.global_step == 2
    print("OBSERVED", json.dumps({"healthy": healthy, "steps": trainer.state.global_step}))
    sys.exit(0 if healthy else 1)
