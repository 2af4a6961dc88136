"""The callback of transformers, in a real training of a tiny model."""

import pytest
from support.programs import run_program

pytestmark = pytest.mark.slow

TRAINING = """
import sys, torch
from torch.utils.data import Dataset
from transformers import Trainer, TrainingArguments
from dpkb.integrations.transformers import DpkbCallback

class Rows(Dataset):
    def __len__(self):
        return 32
    def __getitem__(self, index):
        return {"x": torch.randn(4), "labels": torch.tensor(index % 3)}

class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(4, 3)
    def forward(self, x, labels):
        scores = self.layer(x)
        if "softmax" in sys.argv:
            scores = scores.softmax(1)
        if "raise" in sys.argv:
            raise RuntimeError("mat1 and mat2 shapes cannot be multiplied (4x512 and 510x10)")
        return {"loss": torch.nn.functional.cross_entropy(scores, labels)}

callback = DpkbCallback()
arguments = TrainingArguments(
    output_dir="out", max_steps=12, per_device_train_batch_size=8, logging_steps=4, report_to=[], use_cpu=True,
    disable_tqdm=True, save_strategy="no",
)
trainer = Trainer(Model(), arguments, train_dataset=Rows(), callbacks=[callback])
real = torch.nn.functional.cross_entropy
try:
    trainer.train()
except RuntimeError as error:
    print("raised", error)
    callback.close()
print([finding.id for finding in callback.report.findings], torch.nn.functional.cross_entropy is real)
"""


def test_a_finding_is_printed_when_it_is_made_and_counted_in_the_logs(tmp_path):
    done = run_program(TRAINING, tmp_path, "softmax")
    assert done.stderr.count("dpkb audit: O14 certain: ") == 1
    assert "'dpkb_findings': 1" in done.stdout
    assert done.stdout.splitlines()[-1] == "['O14'] True"


def test_a_sound_training_gets_no_line(tmp_path):
    done = run_program(TRAINING, tmp_path)
    assert "dpkb" not in done.stdout + done.stderr
    assert done.stdout.splitlines()[-1] == "[] True"


def test_an_exception_of_the_training_stays(tmp_path):
    done = run_program(TRAINING, tmp_path, "raise")
    assert done.stdout.splitlines()[-2:] == [
        "raised mat1 and mat2 shapes cannot be multiplied (4x512 and 510x10)",
        "[] True",
    ]
