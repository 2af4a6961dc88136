"""E2: an overridden method that takes *args accepts what a newer release passes.

Old releases call it without the dataset, newer ones with it. The method works with both.

Symptom: none: two steps run
Needs:   torch, transformers, accelerate; cpu; about 12 s
Run:     python fix_override_positional.py; python broken_override_positional.py
"""
import json
import sys
import tempfile

import torch

try:
    import accelerate  # noqa: F401: Trainer needs it
    import transformers
except ImportError:
    print("SKIPPED transformers or accelerate is not installed")
    sys.exit(77)

num_steps = 2


class InOrderTrainer(transformers.Trainer):
    def _get_train_sampler(self, *args):  # FIX: any
        return torch.utils.data.SequentialSampler(self.train_dataset)


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(2, 1)

    def forward(self, x, labels):
        return {"loss": (self.layer(x)[:, 0] - labels).pow(2).mean()}


if __name__ == "__main__":
    rows = [{"x": [1.0, float(n)], "labels": 0.0} for n in range(8)]
    with tempfile.TemporaryDirectory() as folder:
        args = transformers.TrainingArguments(folder, max_steps=num_steps, report_to=[],
                                              save_strategy="no", disable_tqdm=True, use_cpu=True)
        trainer = InOrderTrainer(model=Net(), args=args, train_dataset=rows)
        trainer.train()

    healthy = trainer.state.global_step == num_steps
    print("OBSERVED", json.dumps({"healthy": healthy, "steps": trainer.state.global_step}))
    sys.exit(0 if healthy else 1)
