"""H1: forward() returns the mean of the losses.

Trainer calls backward() on one number.

Symptom: none: two steps run
Needs:   torch, transformers, accelerate; cpu; about 12 s
Run:     python fix_one_loss.py; python broken_loss_per_sample.py
"""
import json
import sys
import tempfile

import torch

try:
    import accelerate  # noqa: F401: Trainer needs it
    from transformers import Trainer, TrainingArguments
except ImportError:
    print("SKIPPED transformers or accelerate is not installed")
    sys.exit(77)

num_steps = 2


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(2, 1)

    def forward(self, x):
        out = self.layer(x)
        return {"loss": out.pow(2).mean(), "logits": out}  # FIX: one number


if __name__ == "__main__":
    rows = [{"x": [1.0, float(n)]} for n in range(8)]
    with tempfile.TemporaryDirectory() as folder:
        args = TrainingArguments(folder, max_steps=num_steps, report_to=[], save_strategy="no",
                                 disable_tqdm=True, use_cpu=True)
        trainer = Trainer(model=Net(), args=args, train_dataset=rows)
        trainer.train()

    healthy = trainer.state.global_step == num_steps
    print("OBSERVED", json.dumps({"healthy": healthy, "steps": trainer.state.global_step}))
    sys.exit(0 if healthy else 1)
