"""The tracker of accelerate, in a real training of a tiny model."""

import pytest
from support.programs import run_program

pytestmark = pytest.mark.slow

TRAINING = """
import torch
from accelerate import Accelerator
from dpkb.integrations.accelerate import DpkbTracker

tracker = DpkbTracker()
accelerator = Accelerator(cpu=True, log_with=tracker)
accelerator.init_trackers("project", {"lr": 0.1})
model = torch.nn.Linear(4, 3)
model, optimizer = accelerator.prepare(model, torch.optim.SGD(model.parameters(), 0.1))
for step in range(6):
    loss = torch.nn.functional.cross_entropy(model(torch.randn(8, 4)).softmax(1), torch.randint(3, (8,)))
    accelerator.backward(loss)
    optimizer.step()
    optimizer.zero_grad()
    accelerator.log({"loss": loss.item()}, step=step)
accelerator.end_training()
print([finding.id for finding in tracker.tracker.findings])
"""


def test_the_training_is_watched_until_its_end(tmp_path):
    done = run_program(TRAINING, tmp_path)
    assert done.stderr.count("dpkb audit: O14 certain: ") == 1
    assert done.stdout.splitlines()[-1] == "['O14']"
