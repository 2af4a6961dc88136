"""H1: a column does not have the name of the parameter of your own forward().

Trainer keeps labels and drops features, since forward() calls its input x.

Symptom: TypeError: forward() missing 1 required positional argument: 'x'
Needs:   torch, transformers, accelerate, datasets; cpu; about 12 s
Run:     python broken_other_names.py; python fixed.py
"""
import json
import sys
import tempfile

import torch

try:
    import accelerate  # noqa: F401: Trainer needs it
    from datasets import Dataset
    from transformers import Trainer, TrainingArguments
except ImportError:
    print("SKIPPED transformers, accelerate or datasets is not installed")
    sys.exit(77)

num_steps = 2

class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(4, 2)

    def forward(self, x, labels=None):
        logits = self.layer(x)
        return {"loss": torch.nn.functional.cross_entropy(logits, labels), "logits": logits}


if __name__ == "__main__":
    rows = [{"features": [1.0, 2.0, 3.0, 4.0], "labels": n % 2} for n in range(8)]
    dataset = Dataset.from_list(rows)  # BUG: the column is features, the parameter is x
    model = Net()
    with tempfile.TemporaryDirectory() as folder:
        args = TrainingArguments(folder, max_steps=num_steps, per_device_train_batch_size=4,
                                 save_strategy="no", report_to=[], disable_tqdm=True)
        trainer = Trainer(model=model, args=args, train_dataset=dataset)
        loss = trainer.train().training_loss

    healthy = trainer.state.global_step == num_steps and loss > 0
    print("OBSERVED", json.dumps({"healthy": healthy, "steps": trainer.state.global_step}))
    sys.exit(0 if healthy else 1)
