"""What error messages about missing names mean."""

import json

import pytest

from dpkb.versions.messages import explain


@pytest.mark.parametrize(
    ("text", "package", "name", "needs"),
    [
        ("AttributeError: module 'numpy' has no attribute 'float_'", "numpy", "numpy.float_", "<2.0"),
        ("AttributeError: `np.float_` was removed in the NumPy 2.0 release. Use `np.float64`", "numpy", "numpy.float_", "<2.0"),
        ("ImportError: cannot import name 'default_rng' from 'numpy.random' (/x/numpy/random)", "numpy", "numpy.random.default_rng", ">=1.17"),
        ("from numpy.random import default_rng\nImportError: cannot import name 'default_rng'", "numpy", "numpy.random.default_rng", ">=1.17"),
        ("ModuleNotFoundError: No module named 'torch._six'", "torch", "torch._six", "<2.0"),
        ("a = librosa.filters.mel(1, 2, n_mels=3)\nTypeError: mel() takes 0 positional arguments but 2 positional arguments (and 1 keyword-only argument) were given", "librosa", "librosa.filters.mel(2 positional arguments)", "<0.10"),
        ("site-packages/torch/x.py\n    a = Accelerator(\nTypeError: __init__() got an unexpected keyword argument 'dispatch_batches'", "accelerate", "accelerate.Accelerator(dispatch_batches=)", ">=0.5,<1.0"),
    ],
)  # fmt: skip
def test_messages(text, package, name, needs):
    explanation = explain(text.split("\n"))[0]
    assert (explanation.package, explanation.name, explanation.needs) == (package, name, needs)


@pytest.mark.parametrize(
    "text",
    [
        "ModuleNotFoundError: No module named 'torch'",
        "ModuleNotFoundError: No module named 'utils.torch_helpers'",
        "ImportError: cannot import name 'Model' from 'models'",
        "AttributeError: module 'numpy' has no attribute 'nonsense'",
        "AttributeError: 'Model' object has no attribute 'layers'",
        "AttributeError: 'AdamW' object has no attribute 'train'",
        "TypeError: forward() got an unexpected keyword argument 'x'",
        "TypeError: train() takes 1 positional argument but 2 were given",
        "import torch\nAttributeError: 'NoneType' object has no attribute 'config'",
        "all is well",
    ],
)
def test_messages_of_the_users_own_code_are_left_alone(text):
    assert explain(text.split("\n")) == []


def test_the_installed_release_lacks_a_name_so_it_is_one_that_may_have_it():
    # What torch 1.11 and older have of torch.library is not known.
    (explanation,) = explain(["AttributeError: module 'torch' has no attribute 'library'"])
    assert explanation.needs == ">=1.12"


def test_a_class_that_is_gone_says_nothing_of_its_keywords():
    # trl 0.12 took model_name from PPOConfig, which its base does not show; 0.29 took PPOConfig.
    (explanation,) = explain(
        ["TypeError: PPOConfig.__init__() got an unexpected keyword argument 'model_name'"]
    )
    assert explanation.needs == "<0.12"


def test_diagnose_and_search_say_it(dpkb_in_process, tmp_path):
    line = "ImportError: cannot import name 'default_rng' from 'numpy.random'"
    log = tmp_path / "log"
    log.write_text(line + "\n")
    for command in (["diagnose", str(log)], ["search", line]):
        result = dpkb_in_process(*command, "--json")
        history = json.loads(result.stdout)["history"]
        assert result.returncode == 0
        assert (history[0]["package"], history[0]["needs"]) == ("numpy", ">=1.17")
        assert "numpy>=1.17" in " ".join(dpkb_in_process(*command).stdout.split())
