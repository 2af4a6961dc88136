"""dpkb search: the warning that nothing fits well, and what it prints without a hit."""

import json

import pytest
from support import write_catalogue


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
def test_a_question_about_something_else_is_answered_with_a_warning(dpkb_in_process, question):
    assert json.loads(dpkb_in_process("search", question, "--json").stdout)["weak"] is True
    answer = dpkb_in_process("search", question)
    assert answer.returncode == 0 and answer.stdout.startswith("Nothing here fits well; nearest:\n")
    assert "in short" not in answer.stdout and "dpkb show" not in answer.stdout
    assert answer.stdout.endswith("Other words may help: the last line of the traceback, or what you see.\n")


@pytest.mark.parametrize("question", [
    "bus error", "Bus eror", "dp9", "dp-1", "DP 15", "set_epoch", "loss is nan with fp16",
    "training hangs at the end of the epoch", "images look blue, opencv", "增强 每个 worker 随机数 一样",
    "RuntimeError: stack expects each tensor to be equal size, but got [3] at entry 0",
    "how to find out why the loss becomes nan", "how do I know which worker was killed",
])
def test_a_question_that_an_entry_answers_has_no_warning(dpkb_in_process, question):
    assert json.loads(dpkb_in_process("search", question, "--json").stdout)["weak"] is False
    assert "Nothing here" not in dpkb_in_process("search", question).stdout


def test_an_id_that_no_entry_has_does_not_stand_for_one_that_is_near(dpkb_in_process):
    assert "(for dp99)" not in dpkb_in_process("search", "dp99").stdout


@pytest.mark.parametrize(("options", "message"), [
    (["--family", "zz", "--kind", "hangs"],
     "No entry of kind hangs and family ZZ matches 'failure made for a test'. "
     "Without --kind and --family, 1 entry matches.\n"),
    (["--kind", "hangs"], "No entry of kind hangs matches 'failure made for a test'. "
                          "Without --kind, 1 entry matches.\n"),
])
def test_entries_that_the_filters_leave_out_are_counted(dpkb_in_process, tmp_path, monkeypatch, options,
                                                        message):
    own = write_catalogue(tmp_path / "own")
    monkeypatch.setattr("dpkb.paths.find_built_in_catalogue", lambda: own)
    done = dpkb_in_process("search", "failure made for a test", *options)
    assert (done.returncode, done.stdout) == (1, message)


@pytest.mark.parametrize("command", [["search", "worker"], ["list"]])
def test_an_unknown_family_is_refused(dpkb_in_process, command):
    done = dpkb_in_process(*command, "--family", "zz")
    assert done.returncode == 2
    assert done.stderr.startswith("dpkb: --family ZZ: must be one of A, C, D, DP, ")


def test_an_empty_question_is_refused(dpkb_in_process):
    done = dpkb_in_process("search", " ")
    assert done.returncode == 2
    assert done.stderr == ("dpkb: the question is empty: describe what you see, as in "
                           "`dpkb search bus error`\n")
