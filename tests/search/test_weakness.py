"""Questions about something else are told so, and those that an entry answers are not."""

import json

import pytest
from support import SEARCH, write_catalogue

from dpkb.catalogue.load import load
from dpkb.search.build import build
from dpkb.search.rank import search


@pytest.fixture
def dpkb(dpkb_in_process):
    """Streams and signals do not matter here, and a process takes longer than a search."""
    return dpkb_in_process


@pytest.mark.parametrize("question", [
    "how do I export my model to ONNX with opset 17",
    "nvcc fatal: unsupported gpu architecture, ninja: build stopped",
    "where do I find the paper of this repository, and its license",
    "tensorboard shows no scalars in the browser",
    "how do I install the wheel for my driver with conda",
    "stable diffusion webui: the gradio page never loads",
    "安装 pytorch 驱动 版本",
    "how to calculate the FLOPs and parameters of your model?",
    "where is the training dataset?",
    "how many days are needed to reproduce the results",
])
def test_a_question_about_something_else_is_told_so(dpkb, question):
    assert json.loads(dpkb("search", question, "--json").stdout)["weak"] is True
    answer = dpkb("search", question)
    assert answer.returncode == 0 and answer.stdout.startswith("Nothing here fits well; nearest:\n")
    assert "in short" not in answer.stdout


@pytest.mark.parametrize("question", [
    "bus error", "Bus eror", "dp9", "set_epoch", "loss is nan with fp16",
    "training hangs at the end of the epoch", "images look blue, opencv", "增强 每个 worker 随机数 一样",
    "RuntimeError: stack expects each tensor to be equal size, but got [3] at entry 0",
    "how to find out why the loss becomes nan", "how do I know which worker was killed",
])
def test_a_question_that_an_entry_answers_is_not_called_weak(dpkb, question):
    assert json.loads(dpkb("search", question, "--json").stdout)["weak"] is False
    assert "Nothing here" not in dpkb("search", question).stdout


@pytest.mark.parametrize(("question", "weak"), [
    ("walrus tusk", False), ("walrus", False), ("ZZ1", False),
    ("conda wheel walrus", True), ("how do I walrus", True),
    ("walrus of many other words that nobody wrote", True),
])
def test_what_an_entry_explains_of_a_question(tmp_path, question, weak):
    """Of an entry that is about walruses, among others that are not."""
    for number, keywords in enumerate(["walrus, walrus tusk, the walrus", *["one, two, three"] * 9]):
        write_catalogue(tmp_path, f"ZZ{number + 1}", search=SEARCH.replace("one, two, three", keywords))
    connection = build(load([tmp_path]), {"unreadable": "0"}, None)
    result = search(connection, question, 5)
    assert result.hits[0].id == "ZZ1" and result.weak is weak
