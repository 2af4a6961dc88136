"""dpkb search: what it prints, also if nothing fits well or there is no hit."""

import json

import pytest
from support import write_catalogue


def ids(done):
    return [hit["id"] for hit in json.loads(done.stdout)["hits"]]


def test_the_json_of_a_search_has_all_fields(dpkb_in_process):
    answer = json.loads(dpkb_in_process("search", "bus", "error", "--json", "-n", "2").stdout)
    assert set(answer) == {"version", "query", "weak", "unclear", "hits", "history", "signpost"}
    assert (answer["version"], answer["query"]) == (1, "bus error")
    assert len(answer["hits"]) <= 2
    assert set(answer["hits"][0]) == {"id", "title", "kind", "score", "matched"}
    assert any("bus" in reason for reason in answer["hits"][0]["matched"])


def test_the_text_says_why_and_what_next(dpkb_in_process):
    done = dpkb_in_process("search", "bus error")
    assert done.stdout.startswith("DP15 ")
    assert "matched " in done.stdout and "dpkb show DP15" in done.stdout
    assert "\x1b" not in done.stdout


def test_a_message_of_an_installation_gets_its_signpost_and_no_entry(dpkb_in_process):
    question = "RuntimeError: CUDA error: no kernel image is available for execution on the device"
    done = dpkb_in_process("search", question)
    assert done.returncode == 0 and done.stdout.startswith(
        "This is about installation (not reproduced by dpkb)"
    )
    post = json.loads(dpkb_in_process("search", question, "--json").stdout)["signpost"]
    assert post["kind"] == "installation" and post["source"] in done.stdout


def test_a_signpost_needs_no_colon_and_a_message_that_no_entry_explains(dpkb_in_process):
    done = dpkb_in_process("search", "A module that was compiled using NumPy 1.x cannot be run in NumPy 2.1")
    assert done.stdout.startswith("This is about installation")
    question = "OSError: [Errno 24] Too many open files"
    assert json.loads(dpkb_in_process("search", question, "--json").stdout)["signpost"] is None
    assert ids(dpkb_in_process("search", question, "--json"))[0] == "DP20"


@pytest.mark.parametrize(
    "question",
    [
        "AttributeError: module 'walruslib' has no attribute 'Perspective'",
        "KeyError: 'walrus' in the evaluator during fit",
        "ImportError: No walruslib LoRA training",
        "RuntimeError: CUDA error: peer walrus exhausted, accelerate launch",
    ],
)
def test_a_message_of_which_only_a_word_is_known_is_not_said_to_be_explained(dpkb_in_process, question):
    assert dpkb_in_process("search", question).stdout.startswith("Nothing here fits well; nearest:\n")


def test_search_without_a_hit_returns_1(dpkb_in_process):
    done = dpkb_in_process("search", "zzzyx", "qqqwv")
    assert done.returncode == 1
    assert "Nothing in the catalogue" in done.stdout


def test_hits_can_be_limited_to_a_kind_and_a_family(dpkb_in_process):
    done = dpkb_in_process("search", "worker killed bus error", "--kind", "killed", "--json")
    assert ids(done)[0] == "DP15"
    killed = json.loads(dpkb_in_process("search", "worker", "--kind", "killed", "--json").stdout)["hits"]
    assert {hit["kind"] for hit in killed} == {"killed"}
    families = ids(dpkb_in_process("search", "worker", "--family", "dp", "--json"))
    assert families and all(entry_id.startswith("DP") for entry_id in families)


def test_a_hostile_question_is_answered_without_an_error(dpkb_in_process):
    for question in ("'", '"; DROP TABLE entry; --', "*", "NEAR(", "\x1b[31m", "-" * 50, "的", "x " * 5000):
        done = dpkb_in_process("search", "--", question)
        assert done.returncode in (0, 1), done.stderr
        assert "\x1b" not in done.stdout


def test_an_added_folder_without_kb_is_a_usage_error(dpkb_in_process, tmp_path):
    done = dpkb_in_process("search", "x", "--kb", tmp_path)
    assert done.returncode == 2
    assert str(tmp_path) in done.stderr and "Traceback" not in done.stderr


@pytest.mark.parametrize(
    "question",
    [
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
    ],
)
def test_a_question_about_something_else_is_answered_with_a_warning(dpkb_in_process, question):
    assert json.loads(dpkb_in_process("search", question, "--json").stdout)["weak"] is True
    answer = dpkb_in_process("search", question)
    assert answer.returncode == 0 and answer.stdout.startswith("Nothing here fits well; nearest:\n")
    assert "in short" not in answer.stdout and "dpkb show" not in answer.stdout
    assert answer.stdout.endswith("Other words may help: the last line of the traceback, or what you see.\n")


@pytest.mark.parametrize(
    "question",
    [
        "bus error",
        "Bus eror",
        "dp9",
        "dp-1",
        "DP 15",
        "set_epoch",
        "loss is nan with fp16",
        "training hangs at the end of the epoch",
        "images look blue, opencv",
        "增强 每个 worker 随机数 一样",
        "RuntimeError: stack expects each tensor to be equal size, but got [3] at entry 0",
        "how to find out why the loss becomes nan",
        "how do I know which worker was killed",
    ],
)
def test_a_question_that_an_entry_answers_has_no_warning(dpkb_in_process, question):
    assert json.loads(dpkb_in_process("search", question, "--json").stdout)["weak"] is False
    assert "Nothing here" not in dpkb_in_process("search", question).stdout


def test_an_id_that_no_entry_has_does_not_stand_for_one_that_is_near(dpkb_in_process):
    assert "(for dp99)" not in dpkb_in_process("search", "dp99").stdout


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            ["--family", "zz", "--kind", "hangs"],
            "No entry of kind hangs and family ZZ matches 'failure made for a test'. "
            "Without --kind and --family, 1 entry matches.\n",
        ),
        (
            ["--kind", "hangs"],
            "No entry of kind hangs matches 'failure made for a test'. Without --kind, 1 entry matches.\n",
        ),
    ],
)
def test_entries_that_the_filters_leave_out_are_counted(
    dpkb_in_process, tmp_path, monkeypatch, options, message
):
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
    assert done.stderr == (
        "dpkb: the question is empty: describe what you see, as in `dpkb search bus error`\n"
    )
