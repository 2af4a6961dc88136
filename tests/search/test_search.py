"""dpkb search: the right entry first, why it matched, and an index that keeps itself in step."""

import json
import multiprocessing
import os
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import pytest
from support import write_catalogue

from dpkb.search.store import find


@pytest.fixture
def dpkb(dpkb_in_process):
    """Streams and signals do not matter here, and a process takes longer than a search."""
    return dpkb_in_process


def ids(done):
    return [hit["id"] for hit in json.loads(done.stdout)["hits"]]


@pytest.mark.parametrize(("question", "expected"), [
    ("bus error", "DP15"),
    ("Bus eror", "DP15"),
    ("/dev/shm", "DP15"),
    ("RuntimeError: DataLoader worker (pid 4242) is killed by signal: Bus error.", "DP15"),
    ("RuntimeError: stack expects each tensor to be equal size, but got [3] at entry 0", "DP4"),
    ("set_epoch", "DP14"),
    ("sampler option is mutually exclusive with shuffle", "DP14"),
    ("Can't pickle local object 'main.<locals>.<lambda>'", "DP6"),
    ("Expected more than 1 value per channel when training", "DP8"),
    ("worker_init_fn numpy same random numbers", "DP1"),
    ("images look blue, opencv", "DP11"),
    ("IterableDataset duplicate samples num_workers", "DP2"),
    ("dp9", "DP9"),
    ("增强 每个 worker 随机数 一样", "DP1"),
])
def test_the_right_entry_comes_first(dpkb, question, expected):
    done = dpkb("search", question, "--json")
    assert done.returncode == 0
    assert ids(done)[0] == expected


def test_the_json_shape(dpkb):
    answer = json.loads(dpkb("search", "bus", "error", "--json", "-n", "2").stdout)
    assert set(answer) == {"version", "query", "weak", "hits"}
    assert (answer["version"], answer["query"]) == (1, "bus error")
    assert len(answer["hits"]) <= 2
    assert set(answer["hits"][0]) == {"id", "title", "kind", "score", "matched"}
    assert any("bus" in reason for reason in answer["hits"][0]["matched"])


def test_the_text_says_why_and_what_next(dpkb):
    done = dpkb("search", "bus error")
    assert done.stdout.startswith("DP15 ")
    assert "matched " in done.stdout and "dpkb show DP15" in done.stdout
    assert "\x1b" not in done.stdout


def test_nothing_found_is_a_no(dpkb):
    done = dpkb("search", "zzzyx", "qqqwv")
    assert done.returncode == 1
    assert "Nothing in the catalogue" in done.stdout


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


def test_filters(dpkb):
    assert ids(dpkb("search", "worker killed bus error", "--kind", "killed", "--json"))[0] == "DP15"
    killed = json.loads(dpkb("search", "worker", "--kind", "killed", "--json").stdout)["hits"]
    assert {hit["kind"] for hit in killed} == {"killed"}
    families = ids(dpkb("search", "worker", "--family", "dp", "--json"))
    assert families and all(entry_id.startswith("DP") for entry_id in families)
    assert dpkb("search", "worker", "--family", "ZZ").returncode == 1


@pytest.fixture
def small(tmp_path, monkeypatch):
    """A catalogue of one entry, and an empty folder for its index."""
    monkeypatch.setenv("DPKB_CACHE_DIR", str(tmp_path / "cache"))
    return write_catalogue(tmp_path / "made")


def ids_found(folder, question="failure made for a test"):
    return [hit.id for hit in find([folder], question, 5).hits]


def test_a_change_is_seen_at_once(small):
    assert ids_found(small) == ["ZZ1"]
    path, words = small / "kb" / "zz1_made.md", small / "kb" / "zz1_made.search.yaml"
    words.write_text(words.read_text().replace("[one,", "[flibbertigibbet,"))
    assert ids_found(small, "flibbertigibbet") == ["ZZ1"]
    write_catalogue(small, entry_id="ZZ2")
    assert set(ids_found(small)) == {"ZZ1", "ZZ2"}
    path.unlink()
    assert ids_found(small) == ["ZZ2"]


@pytest.mark.parametrize("damage", [b"", b"not a database at all" * 100, None])
def test_a_damaged_index_is_built_again(small, tmp_path, damage):
    ids_found(small)
    (index,) = (tmp_path / "cache").glob("index-*.sqlite")
    whole = index.read_bytes()
    index.write_bytes(whole[: len(whole) // 2] if damage is None else damage)
    for _ in range(2):
        assert ids_found(small) == ["ZZ1"]
    assert index.stat().st_size > len(whole) // 2


def test_no_place_to_keep_an_index(small, tmp_path, monkeypatch):
    blocked = tmp_path / "file"
    blocked.write_text("")
    for cache in (blocked, "/proc/nowhere"):
        monkeypatch.setenv("DPKB_CACHE_DIR", str(cache))
        assert ids_found(small) == ["ZZ1"]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_many_at_once(small, tmp_path):
    with ProcessPoolExecutor(6, multiprocessing.get_context("fork")) as pool:
        assert list(pool.map(ids_found, [small] * 6)) == [["ZZ1"]] * 6
    assert len(list((tmp_path / "cache").iterdir())) == 1


def test_a_hostile_question(dpkb):
    for question in ("'", '"; DROP TABLE entry; --', "*", "NEAR(", "\x1b[31m", "-" * 50, "的", "x " * 5000):
        done = dpkb("search", "--", question)
        assert done.returncode in (0, 1), done.stderr
        assert "\x1b" not in done.stdout


def test_an_added_folder_without_kb_is_a_usage_error(dpkb, tmp_path):
    done = dpkb("search", "x", "--kb", tmp_path)
    assert done.returncode == 2
    assert str(Path(tmp_path)) in done.stderr and "Traceback" not in done.stderr
