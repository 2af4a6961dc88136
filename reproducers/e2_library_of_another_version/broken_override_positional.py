"""E2: an overridden method takes fewer arguments than the library passes since transformers 4.52.

The Trainer calls _get_train_sampler() with the dataset. A method that was written before, your
own or that of a library on top such as trl, takes only self.

Symptom: TypeError: InOrderTrainer._get_train_sampler() takes 1 positional argument but 2 were given
Needs:   torch, transformers, accelerate; cpu; about 12 s
Run:     python broken_override_positional.py; python fix_override_positional.py
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
    def _get_train_sampler(self):  # BUG: as before 4.52
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
