"""H1: label_names says which column holds the labels, so there is an eval_loss.

Here the input is the target as well, as in an autoencoder.

Symptom: none: two steps run, and the best of them is loaded
Needs:   torch, transformers, accelerate; cpu; about 12 s
Run:     python fix_label_names.py; python broken_no_eval_loss.py
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
        return {"loss": out.pow(2).mean(), "logits": out}


if __name__ == "__main__":
    rows = [{"x": [1.0, float(n)]} for n in range(8)]
    with tempfile.TemporaryDirectory() as folder:
        args = TrainingArguments(folder, max_steps=num_steps, report_to=[], disable_tqdm=True,
                                 save_strategy="steps", save_steps=1, eval_strategy="steps",
                                 eval_steps=1, load_best_model_at_end=True, use_cpu=True,
                                 label_names=["x"])  # FIX: x is the target
        trainer = Trainer(model=Net(), args=args, train_dataset=rows, eval_dataset=rows)
        trainer.train()

    healthy = trainer.state.global_step == num_steps
    print("OBSERVED", json.dumps({"healthy": healthy, "steps": trainer.state.global_step}))
    sys.exit(0 if healthy else 1)
