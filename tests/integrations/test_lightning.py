"""The callback of Lightning, in real trainings of a tiny model."""

import csv
import subprocess
import sys
from importlib.util import find_spec

import pytest
from support.programs import run_program
from support.trackers import INSTALLED, find_trackers_of, go_offline, needs_tracker

pytestmark = pytest.mark.slow

PACKAGE = "lightning" if find_spec("lightning") else "pytorch_lightning"
MODULES = "lightning.pytorch.loggers" if PACKAGE == "lightning" else "pytorch_lightning.loggers"

TRAINING = """
import sys, torch
from torch.utils.data import DataLoader, TensorDataset
import PACKAGE as L
from LOGGERS import CSVLogger
from dpkb.integrations.lightning import DpkbCallback

class Model(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(4, 3)
    def training_step(self, batch, index):
        x, y = batch
        if "raise" in sys.argv:
            self.layer(x.repeat(1, 2))
        return torch.nn.functional.cross_entropy(self.layer(x).softmax(1), y)
    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), 0.1)

callback = DpkbCallback()
loader = DataLoader(TensorDataset(torch.randn(64, 4), torch.randint(3, (64,))), 8, shuffle=True)
trainer = L.Trainer(max_epochs=2, accelerator="cpu", callbacks=[callback], logger=CSVLogger("logs"),
                    log_every_n_steps=2, enable_progress_bar=False, enable_checkpointing=False)
real = torch.nn.functional.cross_entropy
try:
    trainer.fit(Model(), loader)
except RuntimeError as error:
    print("raised", error)
print([finding.id for finding in callback.report.findings], torch.nn.functional.cross_entropy is real)
"""


@pytest.mark.parametrize(
    "package, loggers",
    [("lightning", "lightning.pytorch.loggers"), ("pytorch_lightning", "pytorch_lightning.loggers")],
)
def test_a_finding_is_printed_and_goes_to_the_loggers(tmp_path, package, loggers):
    done = run_program(TRAINING.replace("PACKAGE", package).replace("LOGGERS", loggers), tmp_path)
    assert done.stderr.count("dpkb audit: O14 certain: ") == 1
    assert done.stdout.splitlines()[-1] == "['O14'] True"
    (metrics,) = tmp_path.glob("logs/**/metrics.csv")
    rows = list(csv.DictReader(metrics.open()))
    assert [row["dpkb_findings"] for row in rows if row["dpkb_O14"]] == ["1"]


@needs_tracker
def test_the_loggers_of_trackers_get_the_findings(tmp_path, monkeypatch):
    go_offline(monkeypatch)
    kinds = {
        "tensorboard": "TensorBoardLogger('logs')",
        "wandb": "WandbLogger(offline=True)",
        "mlflow": "MLFlowLogger()",
    }
    loggers = ", ".join(f"trackers.{kinds[name]}" for name in INSTALLED)
    code = TRAINING.replace("from LOGGERS import CSVLogger", "import LOGGERS as trackers")
    code = code.replace('CSVLogger("logs")', f"[{loggers}]")
    run_program(code.replace("PACKAGE", PACKAGE).replace("LOGGERS", MODULES), tmp_path)
    assert find_trackers_of("dpkb_O14", tmp_path) == INSTALLED


def test_an_exception_that_nothing_catches_is_explained_once_and_its_traceback_comes_first(tmp_path):
    text = TRAINING.replace("PACKAGE", PACKAGE).replace("LOGGERS", MODULES)
    text = "from dpkb.traceback import install; install()\n" + text.replace("RuntimeError", "KeyError")
    (tmp_path / "program.py").write_text(text)
    done = subprocess.run(
        [sys.executable, "program.py", "raise"], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    before, _, after = done.stderr.partition("\nWhere it failed:\n")
    assert done.returncode == 1 and "Traceback (most recent call last):\n" in before
    assert before.endswith("shapes cannot be multiplied (8x8 and 4x3)\n")
    assert after.endswith("shapes cannot be multiplied (8x8 and 4x3)\n"), "Python's own traceback"
    assert after.count("more: dpkb show S1") == 1 and "Where it failed" not in after


def test_an_exception_is_explained_and_raised(tmp_path):
    text = TRAINING.replace("PACKAGE", PACKAGE).replace("LOGGERS", MODULES)
    done = run_program(text, tmp_path, "raise")
    assert "Linear(in_features=4" in done.stderr and "dpkb show S1" in done.stderr
    assert "mat1 and mat2 shapes cannot be multiplied" in done.stdout.splitlines()[-2]
    assert done.stdout.splitlines()[-1] == "[] True"
