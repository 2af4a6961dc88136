"""The callback of transformers, in a real training of a tiny model."""

import subprocess
import sys

import pytest
from support.programs import run_program
from support.trackers import INSTALLED, find_trackers_of, go_offline, needs_tracker

pytestmark = pytest.mark.slow

TRAINING = """
import sys, torch
from torch.utils.data import Dataset
from transformers import Trainer, TrainerCallback, TrainingArguments
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

class Tracker(TrainerCallback):
    def on_log(self, args, state, control, logs=None, **kwargs):
        print("tracked", {name: value for name, value in logs.items() if "dpkb" in name})

callback = DpkbCallback()
arguments = TrainingArguments(
    output_dir="out", max_steps=12, per_device_train_batch_size=8, logging_steps=4, report_to=sys.argv[2:], use_cpu=True,
    disable_tqdm=True, save_strategy="no",
)
trainer = Trainer(Model(), arguments, train_dataset=Rows(), callbacks=[Tracker(), callback])
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
    assert "tracked {'dpkb_findings': 1, 'dpkb_O14': 1}" in done.stdout, "by a callback that was there before"
    assert done.stdout.splitlines()[-1] == "['O14'] True"


@needs_tracker
def test_the_trackers_of_report_to_get_the_findings(tmp_path, monkeypatch):
    go_offline(monkeypatch)
    run_program(TRAINING, tmp_path, "softmax", *INSTALLED)
    assert find_trackers_of("dpkb_O14", tmp_path) == INSTALLED


def test_a_sound_training_gets_no_line(tmp_path):
    done = run_program(TRAINING, tmp_path)
    assert "dpkb" not in done.stdout + done.stderr and "tracked {}" in done.stdout
    assert done.stdout.splitlines()[-1] == "[] True"


def test_an_exception_of_the_training_stays(tmp_path):
    done = run_program(TRAINING, tmp_path, "raise")
    assert done.stdout.splitlines()[-2:] == [
        "raised mat1 and mat2 shapes cannot be multiplied (4x512 and 510x10)",
        "[] True",
    ]


def test_an_exception_that_nothing_catches_is_explained(tmp_path):
    (tmp_path / "program.py").write_text(TRAINING.replace("except RuntimeError", "except KeyError"))
    done = subprocess.run(
        [sys.executable, "program.py", "raise"], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    traceback, _, explanation = done.stderr.partition("\nWhere it failed:\n")
    assert done.returncode == 1 and traceback.endswith("cannot be multiplied (4x512 and 510x10)\n")
    assert "    scores  float32 (8, 3) on cpu, requires grad\n" in explanation
    assert "more: dpkb show S1" in explanation


def test_what_fails_before_the_training_is_explained_too(tmp_path):
    code = TRAINING.replace("trainer.train()", "trainer.model.layer(torch.ones(2, 5))")
    (tmp_path / "program.py").write_text(code.replace("except RuntimeError", "except KeyError"))
    done = subprocess.run(
        [sys.executable, "program.py", "sound"], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 1 and done.stderr.count("more: dpkb show S1") == 1
