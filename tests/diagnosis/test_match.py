"""From a log in any shape to the entries that explain it, or to none."""

import io
import json
import random
import sys

import pytest
from support import MESSAGES, ROOT, SEARCH, write_catalogue
from support.peak_memory import run_with_peak

from dpkb.catalogue.load import load
from dpkb.diagnosis import conclusion, match
from dpkb.paths import find_built_in_catalogue
from dpkb.patterns import matching

SHUFFLE = "ValueError: sampler option is mutually exclusive with shuffle"


@pytest.fixture(scope="module")
def signatures():
    return match.Signatures(load([find_built_in_catalogue()]))


def ids_for(signatures, log):
    """The ids of the entries that explain a log, the best first."""
    return [found.id for found in conclusion.diagnose(io.BytesIO(log.encode()), signatures).matches]


def test_the_source_line_of_a_traceback_is_not_evidence(signatures):
    log = f'Traceback (most recent call last):\n  File "x.py", line 3, in f\n    raise {SHUFFLE}\nOther: x\n'
    assert ids_for(signatures, log) == []


# The wording of older versions and of other libraries, for failures that an entry's scripts print otherwise.
@pytest.mark.parametrize(
    ("line", "wanted"),
    [
        (
            "RuntimeError: index out of range at /pytorch/aten/src/TH/generic/THTensorEvenMoreMath.cpp:237",
            "S2",
        ),
        ("RuntimeError: cuda runtime error (2) : out of memory at THCStorage.cu:66", "M1"),
        ("RuntimeError: CUDA error: out of memory", "M1"),
        ("RuntimeError: expected device cuda:0 but got device cuda:1", "S6"),
        ("AttributeError: 'int' object has no attribute 'backward'", "A3"),
        ("AttributeError: 'Tensor' object has no attribute 'loss'", "O37"),
        ("_pickle.UnpicklingError: invalid load key, '\\x00'.", "C30"),
        ("_pickle.UnpicklingError: pickle data was truncated", "C30"),
        ("RuntimeError: One or more background workers are no longer alive. Exiting.", "Q4"),
        ("{'loss': 0.4, 'grad_norm': nan, 'epoch': 0.66}", "Q2"),
        ("训练次数：800, Loss：nan", "Q2"),
        ("TypeError: backward() got an unexpected keyword argument 'retain_variables'", "E1"),
        (
            "RuntimeError: Output 0 of a function created in no_grad mode is a view and is being modified inplace "
            "but this inplace operation is not allowed.",
            "A1",
        ),
        ("  File \"train.py\", line 93, in load_checkpoint\nKeyError: 'best_acc'", "C31"),
        ("TypeError: _get_train_sampler() takes 1 positional argument but 2 were given", "E2"),
        ("TypeError: LitNet.training_step() takes 2 positional arguments but 3 were given", "E2"),
        (
            '  File "/e/site-packages/trl/t.py", line 9, in step\n  File "/e/site-packages/peft/p.py", line 3, in g\n'
            "TypeError: g() got an unexpected keyword argument 'scale'",
            "E2",
        ),
        ("Net.__init__() got an unexpected keyword argument 'depth'\nfull_key: model", "E2"),
        (
            "ImportError: cannot import name 'Mapping' from 'collections' (/usr/lib/python3.10/collections/__init__.py)",
            "E2",
        ),
        ("ModuleNotFoundError: No module named 'distutils'", "E2"),
        ("ModuleNotFoundError: No module named 'utils.metrics'", "E5"),
        ("ImportError: cannot import name 'load_dataset' from 'datasets' (unknown location)", "E5"),
        ("ModuleNotFoundError: No module named 'transformers.models'; 'transformers' is not a package", "E5"),
        (
            "AttributeError: module 'wandb' has no attribute 'init' (consider renaming '/w/wandb.py' since it has",
            "E5",
        ),
        ("ImportError: 'wandb.py' \n/usr/bin/python: No module named accelerate", "E5"),
    ],
)
def test_the_same_failure_in_other_words(signatures, line, wanted):
    assert wanted in ids_for(signatures, line + "\n")


@pytest.mark.parametrize(
    ("line", "wanted"),
    [
        ("ModuleNotFoundError: No module named 'torch._six'", "E1"),
        ("ModuleNotFoundError: No module named 'timm.models.layers.se'", "E2"),
        ("ModuleNotFoundError: No module named 'pkg_resources'", "E2"),
        (
            "  File \"/e/torch/serialization.py\", line 853, in load\nModuleNotFoundError: No module named 'models'",
            "C34",
        ),
    ],
)
def test_a_missing_name_of_a_library_is_no_missing_package(signatures, line, wanted):
    assert ids_for(signatures, line + "\n")[0] == wanted


@pytest.mark.parametrize(
    "log",
    [
        "KeyError: 'best_acc'\n",
        "",
        "\n\n",
        "Epoch 1 loss 0.3\n",
        "ValueError: a setting of my own is wrong\n",
        "KeyError: 'image'\n",
        "SyntaxError: invalid syntax\n",
        "AssertionError\n",
        "FileNotFoundError: [Errno 2] No such file or directory: 'data/train.csv'\n",
        "Killed\n",
        "ZeroDivisionError: division by zero\n",
        '  File "metrics.py", line 3, in precision\n    return hits / (hits + misses)\n'
        "ZeroDivisionError: division by zero\n",
        "WARNING: everything is fine\nexitcode: 1 (pid: 12) of binary: /usr/bin/python\nerror_file: <N/A>\n",
    ],
)
def test_a_healthy_log_and_other_errors_match_nothing(signatures, log):
    assert ids_for(signatures, log) == []


def test_a_division_by_zero_in_a_sample_is_not_an_empty_loader(signatures):
    log = (
        'Traceback (most recent call last):\n  File "train.py", line 98, in train\n'
        "    for image, mask in self.loader:\n"
        "ZeroDivisionError: Caught ZeroDivisionError in DataLoader worker process 0.\n"
        'Original Traceback (most recent call last):\n  File "data.py", line 7, in __getitem__\n'
        "    return x / self.scale\nZeroDivisionError: float division by zero\n"
    )
    assert ids_for(signatures, log)[0] == "Q4"


@pytest.mark.parametrize(
    "log",
    [
        "Epoch 3\nloss 0.3\nKilled\n",
        "  6%|##    | 3787/62565 [04:47<1:10:53, 13.82it/s]Killed\n",
        "Epoch 15 loss 0.04\ntrain.sh: line 6:  3305 Killed                  python train.py\n",
    ],
)
def test_a_training_that_the_system_killed(signatures, log):
    assert ids_for(signatures, log)[0] == "U9"


@pytest.mark.skipif(sys.platform != "linux", reason="peak memory is read from /proc")
def test_memory_stays_bounded_on_a_large_log(tmp_path):
    log = tmp_path / "log.txt"
    with log.open("wb") as file:
        for n in range(1000):
            file.write(b"step %d loss 0.1 and some more words to fill the line\n" % n * 2000)
            file.write(SHUFFLE.encode() + b"\n")
    done, peak = run_with_peak("diagnose", log, cwd=ROOT)
    assert "DP14" in done.stdout
    assert peak < 100


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="peak memory is read from /proc")
def test_memory_stays_bounded_where_many_signatures_fill_the_log(tmp_path):
    """After hundreds of lines a signature is no longer looked for, and the filter is built again."""
    cited = json.loads((ROOT / "tests" / "diagnosis" / "cited_lines.json").read_text(encoding="utf-8"))
    numbers = random.Random(3)
    steps = "".join(
        f"Epoch {n}:  {n % 100}%|##  | {n}/1000 [00:10<00:12, {n / 7:.2f}it/s, "
        f"loss={numbers.random():.3f}]\nlr {numbers.random()}\n"
        for n in range(200)
    )
    log = tmp_path / "log.txt"
    log.write_text("".join(f"{text}\n" * 250 + steps for texts in cited.values() for text in texts), "utf-8")
    done, peak = run_with_peak("diagnose", log, cwd=ROOT)
    assert done.returncode == 0, done.stderr
    patterns = sum(len(entry.line_patterns) for entry in load([find_built_in_catalogue()]))
    assert peak < 30 + 0.1 * patterns  # MB: each pattern of the catalogue takes some


@pytest.mark.parametrize(
    "line",
    [
        "step 1200 loss 0.1 lr 0.001 and some more words to fill the line",
        "Epoch 3:  45%|####      | 45/100 [00:10<00:12,  3.2it/s, loss=0.31, v_num=7]",
        "2026-01-01 10:00:00,123 INFO [rank0] train: epoch: 3, iter: 1200, lr: 1.000e-03, eta: 1 day, 2:03:04",
        "{'loss': 0.6931, 'grad_norm': 1.5, 'learning_rate': 5e-05, 'epoch': 0.1}",
    ],
)
def test_no_signature_matches_an_ordinary_line_of_a_log(line):
    """A line that any pattern matches takes as long as thousands of lines that none matches."""
    texts = [signature.match for entry in load([find_built_in_catalogue()]) for signature in entry.signatures]
    assert matching.PatternFilter(texts).find(line.encode(), 0) is None


def test_what_a_signature_wants_nearby_is_looked_for_before_its_line(signatures):
    steps = "".join(f"step {n} loss 0.1\n" for n in range(50_000))
    assert "U9" in ids_for(signatures, steps + "Killed\n")
    far = steps + "cleaning up\n" * 201 + "Killed\n"
    assert ids_for(signatures, far) == []


def test_a_triage_entry_comes_after_an_entry_that_fits_as_well(signatures):
    text = (
        "IndexError: Traceback (most recent call last):\n"
        '  File "/env/torch/utils/data/dataloader.py", line 7, in _worker_loop\n    pass\n'
        "IndexError: list index out of range\n"
    )
    assert ids_for(signatures, text)[:2] == ["DP7", "Q4"]


@pytest.mark.parametrize(
    "text",
    [
        "Exception has occurred: ValueError\nsampler option is mutually exclusive with shuffle\n",
        "sampler option is mutually exclusive with shuffle",
        "E       ValueError: sampler option is mutually exclusive with shuffle",
    ],
)
def test_the_class_of_the_exception_is_not_needed(signatures, text):
    assert ids_for(signatures, text)[0] == "DP14"


def test_a_recorded_message_says_less_than_any_signature(tmp_path):
    for name, weak in (("ZZ1", None), ("ZZ2", False), ("ZZ3", True)):
        row = f"signatures: [{{match: layer of width 3, weak: {str(weak).lower()}}}]"
        search = SEARCH if weak is None else SEARCH.replace("signatures: []", row)
        write_catalogue(tmp_path, name, symptom="layer of width 3", search=search)
    (tmp_path / "kb/zz1_made.messages.yaml").write_text(MESSAGES)
    found = match.Signatures(load([tmp_path]))
    log = io.BytesIO(b"RuntimeError: layer of width 3 got 8\n")
    assert ids_for(found, log.getvalue().decode()) == ["ZZ2", "ZZ3", "ZZ1"]
