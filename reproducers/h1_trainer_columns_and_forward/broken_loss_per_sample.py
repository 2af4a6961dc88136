"""H1: forward() returns a loss for each sample, and backward() wants one number.

Trainer takes "loss" of the output, or the first output, and calls backward() on it.

Symptom: RuntimeError: grad can be implicitly created only for scalar outputs
Needs:   torch, transformers, accelerate; cpu; about 12 s
Run:     python broken_loss_per_sample.py; python fix_one_loss.py
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
        return {"loss": out.pow(2), "logits": out}  # BUG: a loss for each sample


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
