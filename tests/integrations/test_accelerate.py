"""The tracker of accelerate, in a real training of a tiny model."""

import subprocess
import sys

import pytest
from support.programs import run_program
from support.trackers import INSTALLED, find_trackers_of, go_offline, needs_tracker

pytestmark = pytest.mark.slow

TRAINING = """
import sys, torch
from accelerate import Accelerator
from accelerate.tracking import GeneralTracker
from dpkb.integrations.accelerate import DpkbTracker

class Other(GeneralTracker):
    name, requires_logging_directory, tracker = "other", False, None
    def store_init_configuration(self, values):
        pass
    def log(self, values, step, **kwargs):
        if "loss" not in values:
            print("tracked", values, "in step", step)

others = [name for name in sys.argv[1:] if name != "raise"]
tracker = DpkbTracker()
accelerator = Accelerator(cpu=True, log_with=[Other(), *others, tracker], project_dir="logs")
accelerator.init_trackers("project", {"lr": 0.1})
model = torch.nn.Linear(4, 3)
model, optimizer = accelerator.prepare(model, torch.optim.SGD(model.parameters(), 0.1))
for step in range(6):
    loss = torch.nn.functional.cross_entropy(model(torch.randn(8, 4)).softmax(1), torch.randint(3, (8,)))
    accelerator.backward(loss)
    optimizer.step()
    optimizer.zero_grad()
    accelerator.log({"loss": loss.item()}, step=step)
if "raise" in sys.argv:
    model(torch.randn(8, 5))
accelerator.end_training()
print([finding.id for finding in tracker.tracker.findings])
"""


def test_the_training_is_watched_until_its_end(tmp_path):
    done = run_program(TRAINING, tmp_path)
    assert done.stderr.count("dpkb audit: O14 certain: ") == 1
    assert done.stdout.splitlines()[-1] == "['O14']"
    assert "tracked {'dpkb_findings': 1, 'dpkb_O14': 1} in step 0" in done.stdout


@needs_tracker
def test_the_other_trackers_get_the_findings(tmp_path, monkeypatch):
    go_offline(monkeypatch)
    run_program(TRAINING, tmp_path, *INSTALLED)
    assert find_trackers_of("dpkb_O14", tmp_path) == INSTALLED


def test_an_exception_that_nothing_catches_is_explained(tmp_path):
    (tmp_path / "program.py").write_text(TRAINING)
    done = subprocess.run(
        [sys.executable, "program.py", "raise"], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 1 and "Traceback" in done.stderr.partition("\nWhere it failed:\n")[0]
    assert "Linear(in_features=4" in done.stderr and "more: dpkb show S1" in done.stderr
