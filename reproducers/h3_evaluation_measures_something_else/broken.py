"""H3: the labels have a name that the Trainer does not take for labels.

Training works, since forward() returns a loss. In the evaluation the Trainer looks for a column
named labels, finds none, and silently leaves out the loss and compute_metrics.

Symptom: no error; evaluate() returns times only, no eval_loss and no accuracy
Needs:   torch, transformers, accelerate; cpu; about 8 s
Run:     python broken.py; python fixed.py; diff broken.py fixed.py
"""
import json
import sys
import tempfile

import torch
from torch import nn

try:
    import accelerate  # noqa: F401: Trainer needs it
    import transformers
except ImportError:
    print("SKIPPED transformers or accelerate is not installed")
    sys.exit(77)


torch.manual_seed(0)
inputs = torch.randn(32, 4)
rows = [{"x": x, "target": int(x[0] > 0)} for x in inputs]


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.head = nn.Linear(4, 2)

    def forward(self, x, target):
        logits = self.head(x)
        return {"loss": nn.functional.cross_entropy(logits, target), "logits": logits}


def compute_metrics(result):
    return {"accuracy": float((result.predictions.argmax(-1) == result.label_ids).mean())}


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        args = transformers.TrainingArguments(folder, max_steps=4, report_to=[], use_cpu=True,
                                              save_strategy="no", disable_tqdm=True)  # BUG
        trainer = transformers.Trainer(model=Net(), args=args, train_dataset=rows,
                                       eval_dataset=rows, compute_metrics=compute_metrics)
        trainer.train()
        metrics = trainer.evaluate()

    healthy = "eval_loss" in metrics and "eval_accuracy" in metrics
    print("OBSERVED", json.dumps({"healthy": healthy, "steps": trainer.state.global_step,
                                  "has_loss": "eval_loss" in metrics,
                                  "has_accuracy": "eval_accuracy" in metrics}))
    sys.exit(0 if healthy else 1)
