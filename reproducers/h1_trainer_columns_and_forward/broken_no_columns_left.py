"""H1: no column is left, because forward() takes **batch.

Trainer reads the names of the parameters of forward(). With **batch there are none, so it would
drop every column. Recent versions refuse that, older ones fail when they read a row.

Symptom: ValueError: No columns in the dataset match the model's forward method signature
Needs:   torch, transformers, accelerate, datasets; cpu; about 12 s
Run:     python broken_no_columns_left.py; python fix_keep_columns.py
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

    def forward(self, **batch):  # BUG: no parameter has the name of a column
        logits = self.layer(batch["x"])
        loss = torch.nn.functional.cross_entropy(logits, batch["labels"])
        return {"loss": loss, "logits": logits}


if __name__ == "__main__":
    rows = [{"x": [1.0, 2.0, 3.0, 4.0], "labels": n % 2} for n in range(8)]
    dataset = Dataset.from_list(rows)
    model = Net()
    with tempfile.TemporaryDirectory() as folder:
        args = TrainingArguments(folder, max_steps=num_steps, per_device_train_batch_size=4,
                                 save_strategy="no", report_to=[], disable_tqdm=True)
        trainer = Trainer(model=model, args=args, train_dataset=dataset)
        loss = trainer.train().training_loss

    healthy = trainer.state.global_step == num_steps and loss > 0
    print("OBSERVED", json.dumps({"healthy": healthy, "steps": trainer.state.global_step}))
    sys.exit(0 if healthy else 1)
