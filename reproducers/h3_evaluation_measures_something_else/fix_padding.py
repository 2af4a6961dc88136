"""H3: compute_metrics leaves out the positions with the label -100.

The same positions count as in the loss.

Symptom: none: a model that is always right has an accuracy of 1
Needs:   torch, transformers, accelerate; cpu; about 8 s
Run:     python broken_padding.py; python fix_padding.py
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


lengths = [2, 4, 6, 8]
rows = []
for length in lengths:
    tokens = torch.arange(8) % 5
    labels = torch.where(torch.arange(8) < length, tokens, torch.tensor(-100))
    rows.append({"x": tokens, "labels": labels})


class Perfect(nn.Module):
    """Stands for a model that is always right."""

    def __init__(self):
        super().__init__()
        self.scale = nn.Parameter(torch.tensor(9.0))

    def forward(self, x, labels):
        logits = self.scale * nn.functional.one_hot(x, 5).float()
        loss = nn.functional.cross_entropy(logits.flatten(0, 1), labels.flatten())
        return {"loss": loss, "logits": logits}


def compute_metrics(result):
    predicted, labels = result.predictions.argmax(-1), result.label_ids
    kept = labels != -100  # FIX
    return {"accuracy": float((predicted == labels)[kept].mean())}


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        args = transformers.TrainingArguments(folder, report_to=[], use_cpu=True, disable_tqdm=True)
        trainer = transformers.Trainer(model=Perfect(), args=args, eval_dataset=rows,
                                       compute_metrics=compute_metrics)
        metrics = trainer.evaluate()

    accuracy = metrics["eval_accuracy"]
    healthy = accuracy == 1.0
    print("OBSERVED", json.dumps({"healthy": healthy, "accuracy": round(accuracy, 2),
                                  "loss": round(metrics["eval_loss"], 2)}))
    sys.exit(0 if healthy else 1)
