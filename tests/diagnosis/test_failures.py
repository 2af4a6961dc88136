"""Which lines are errors, and which errors follow from others."""

import pytest
from support.rank_logs import LOST

from dpkb.diagnosis import failures


@pytest.mark.parametrize(
    ("line", "order"),
    [
        (LOST, failures.LOST_PEER),
        ("KeyError: 1", failures.CAUSE),
        ("RuntimeError: DataLoader worker (pid 7) exited unexpectedly", failures.ENDED),
        ("RuntimeError: Caught KeyError in DataLoader worker process 0.", None),
        ("MeanAbsoluteError: 0.31", None),
        ("train.sh: line 6:  3305 Killed                  python train.py", failures.CAUSE),
        ("step 3 loss 0.1", None),
    ],
)
def test_the_order_of_causes(line, order):
    assert failures.order_of_cause(line) == order


def read_frames(*places):
    """The error of a traceback with frames in these files, the innermost last."""
    frames = "".join(f'  File "{place}", line {n}, in f\n    f()\n' for n, place in enumerate(places, 1))
    line = "KeyError: 'manhattan'"
    return failures.read_failure(line, line, 9, f"Traceback (most recent call last):\n{frames}")


@pytest.mark.parametrize(
    "path",
    [
        "dataclasses.py",
        "torch/nn/modules/module.py",
        "…/site-packages/peft/tuners/lora.py",
        ".../ultralytics/engine/trainer.py",
        "sentence_transformers/SentenceTransformer.py",
        "/opt/conda/lib/python3.8/contextlib.py",
        "C:\\Users\\u\\AppData\\Local\\Programs\\Python\\Python310\\lib\\runpy.py",
        "C:\\anaconda3\\envs\\ml\\lib\\site-packages\\timm\\layers.py",
        "<frozen importlib._bootstrap>",
    ],
)
def test_a_file_of_python_or_of_a_library_is_not_the_users(path):
    assert read_frames("train.py", path).code == ("train.py", 1)


@pytest.mark.parametrize(
    "path", ["GStarX/gnnNets.py", "/home/u/ultralytics/train.py", "src/random.py", "library/train_util.py"]
)
def test_other_files_are_the_users(path):
    assert read_frames("peft/mapping.py", path).code == (path, 2)
    assert read_frames("peft/mapping.py", path).library is None


def test_the_last_line_of_a_library_is_found_above_pythons_own_files():
    assert read_frames("train.py", "timm/models/maxxvit.py", "dataclasses.py").library == (
        "timm/models/maxxvit.py",
        2,
    )
    assert read_frames("train.py", "dataclasses.py").library is None
