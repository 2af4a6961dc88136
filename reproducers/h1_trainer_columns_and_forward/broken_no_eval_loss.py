"""H1: the data have no column of labels, so the evaluation has no eval_loss.

load_best_model_at_end compares eval_loss. Trainer computes it only if the batch has the columns in
args.label_names, or if can_return_loss is True for the model.

Symptom: KeyError: "The `metric_for_best_model` training argument is set to 'eval_loss', ..."
Needs:   torch, transformers, accelerate; cpu; about 12 s
Run:     python broken_no_eval_loss.py; python fix_label_names.py
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
                                 eval_steps=1, load_best_model_at_end=True, use_cpu=True)  # BUG
        trainer = Trainer(model=Net(), args=args, train_dataset=rows, eval_dataset=rows)
        trainer.train()

    healthy = trainer.state.global_step == num_steps
    print("OBSERVED", json.dumps({"healthy": healthy, "steps": trainer.state.global_step}))
    sys.exit(0 if healthy else 1)
