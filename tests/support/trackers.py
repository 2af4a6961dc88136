"""The trackers of experiments that are installed here, and what they wrote, without a network."""

from importlib.util import find_spec

import pytest

INSTALLED = [name for name in ("tensorboard", "wandb", "mlflow") if find_spec(name)]
needs_tracker = pytest.mark.skipif(not INSTALLED, reason="needs tensorboard, wandb or mlflow-skinny")
# Where they write.
_FILES = {
    "tensorboard": "**/events.out.tfevents.*",
    "wandb": "**/*.wandb",
    "mlflow": "mlruns/**/metrics/**/*",
}


def go_offline(monkeypatch):
    """Let the trackers write into the working folder only."""
    for name, value in {
        "WANDB_MODE": "offline",
        "WANDB_SILENT": "true",
        "MLFLOW_TRACKING_URI": "file:./mlruns",
    }.items():
        monkeypatch.setenv(name, value)


def find_trackers_of(metric, folder):
    """The trackers that have written a metric: its name is in a file, or is that of a file."""
    return [
        name
        for name in INSTALLED
        if any(
            path.is_file() and metric.encode() in path.name.encode() + path.read_bytes()
            for path in folder.glob(_FILES[name])
        )
    ]
