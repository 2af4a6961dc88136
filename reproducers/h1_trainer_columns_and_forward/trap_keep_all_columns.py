"""H1: remove_unused_columns=False passes a column to a forward() that does not accept it.

The advice is part of an error message of Trainer. Each column of numbers now reaches forward()
under its own name.

Symptom: TypeError: forward() got an unexpected keyword argument 'weight'
Needs:   torch, transformers, accelerate, datasets; cpu; about 12 s
Run:     python trap_keep_all_columns.py; python fix_keep_columns.py
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
    rows = [{"x": [1.0, 2.0, 3.0, 4.0], "weight": 1.0, "labels": n % 2} for n in range(8)]
    dataset = Dataset.from_list(rows)
    model = Net()
    with tempfile.TemporaryDirectory() as folder:
        args = TrainingArguments(folder, max_steps=num_steps, per_device_train_batch_size=4,
                                 save_strategy="no", report_to=[], disable_tqdm=True,
                                 remove_unused_columns=False)  # BUG: weight stays as well
        trainer = Trainer(model=model, args=args, train_dataset=dataset)
        loss = trainer.train().training_loss

    healthy = trainer.state.global_step == num_steps and loss > 0
    print("OBSERVED", json.dumps({"healthy": healthy, "steps": trainer.state.global_step}))
    sys.exit(0 if healthy else 1)
