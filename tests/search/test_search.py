"""dpkb search: the right entry first, why it matched, and an index that keeps itself in step."""

import json
import os
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from support import ROOT, write_catalogue


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
])
def test_a_question_about_something_else_is_told_so(dpkb, question):
    assert json.loads(dpkb("search", question, "--json").stdout)["weak"] is True
    said = dpkb("search", question)
    assert said.returncode == 0 and said.stdout.startswith("Nothing here fits well; nearest:\n")
    assert "in short" not in said.stdout


@pytest.mark.parametrize("question", [
    "bus error", "Bus eror", "dp9", "set_epoch", "loss is nan with fp16",
    "training hangs at the end of the epoch", "images look blue, opencv", "增强 每个 worker 随机数 一样",
    "RuntimeError: stack expects each tensor to be equal size, but got [3] at entry 0",
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


def test_a_change_is_seen_at_once(dpkb, tmp_path):
    folder = write_catalogue(tmp_path / "made")
    assert ids(dpkb("search", "failure made for a test", "--kb", folder, "--json"))[0] == "ZZ1"
    path, words = folder / "kb" / "zz1_made.md", folder / "kb" / "zz1_made.search.yaml"
    words.write_text(words.read_text().replace("[one,", "[flibbertigibbet,"))
    assert ids(dpkb("search", "flibbertigibbet", "--kb", folder, "--json")) == ["ZZ1"]
    write_catalogue(folder, entry_id="ZZ2")
    assert set(ids(dpkb("search", "failure made for a test", "--kb", folder, "--json"))[:2]) == {"ZZ1", "ZZ2"}
    path.unlink()
    assert "ZZ1" not in ids(dpkb("search", "failure made for a test", "--kb", folder, "--json"))


@pytest.mark.parametrize("damage", [b"", b"not a database at all" * 100, None])
def test_a_damaged_index_is_built_anew(dpkb, tmp_path, damage):
    env = {"DPKB_CACHE_DIR": str(tmp_path / "cache")}
    dpkb("search", "bus error", env=env)
    (index,) = (tmp_path / "cache").glob("index-*.sqlite")
    whole = index.read_bytes()
    index.write_bytes(whole[: len(whole) // 2] if damage is None else damage)
    for _ in range(2):
        assert ids(dpkb("search", "bus error", "--json", env=env))[0] == "DP15"
    assert index.stat().st_size > len(whole) // 2


def test_no_place_to_keep_an_index(dpkb, tmp_path):
    blocked = tmp_path / "file"
    blocked.write_text("")
    for cache in (blocked, "/proc/nowhere"):
        done = dpkb("search", "bus error", "--json", env={"DPKB_CACHE_DIR": str(cache)})
        assert ids(done)[0] == "DP15", done.stderr


def test_many_at_once(dpkb, tmp_path):
    env = {"DPKB_CACHE_DIR": str(tmp_path / "cache")}
    with ThreadPoolExecutor(6) as pool:
        found = list(pool.map(lambda _: ids(dpkb("search", "bus error", "--json", env=env)), range(6)))
    assert all(hit[0] == "DP15" for hit in found)
    assert len(list((tmp_path / "cache").iterdir())) == 1


def test_a_hostile_question(dpkb):
    for question in ("'", '"; DROP TABLE entry; --', "*", "NEAR(", "\x1b[31m", "-" * 50, "的", "x " * 5000):
        done = dpkb("search", "--", question)
        assert done.returncode in (0, 1), done.stderr
        assert "\x1b" not in done.stdout


def test_entry_text_cannot_reach_the_terminal(dpkb, tmp_path):
    folder = write_catalogue(tmp_path / "made", symptom="before \x1b]0;evil\x07 after \x9b31m \u202e")
    path = folder / "kb" / "zz1_made.md"
    title = 'title: "A \\e[31m failure made for a test"'
    path.write_text(path.read_text().replace("title: A failure made for a test", title))
    for command in (["search", "failure made test"], ["show", "ZZ1"], ["list"]):
        done = dpkb(*command, "--kb", folder, env={"FORCE_COLOR": ""})
        assert "ZZ1" in done.stdout, done.stderr
        assert not {"\x1b", "\x07", "\x9b", "\u202e"} & set(done.stdout)


def test_a_closed_reader_is_no_error():
    shell = f"{sys.executable} -m dpkb list | head -c 1 >/dev/null; exit ${{PIPESTATUS[0]}}"
    bash = shutil.which("bash")
    done = subprocess.run([bash, "-c", shell], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode in (0, 141), done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("env", [
    {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONIOENCODING": "ascii"}, {"TERM": "dumb"}, {"COLUMNS": "40"},
    {"HOME": "", "DPKB_CACHE_DIR": "", "XDG_CACHE_HOME": ""},
])
def test_poor_surroundings(dpkb, env):
    for command in (["search", "bus error"], ["show", "DP15"], ["list"]):
        done = dpkb(*command, env=env)
        assert done.returncode == 0, done.stderr


def test_colour_only_on_a_terminal_and_never_with_no_color(tmp_path):
    script = shutil.which("script")
    if script is None:
        pytest.skip("needs script(1) for a terminal")
    for no_color, coloured in (("", True), ("1", False)):
        done = subprocess.run(
            [script, "-qec", f"{sys.executable} -m dpkb search bus error", "/dev/null"], cwd=tmp_path,
            env={**os.environ, "NO_COLOR": no_color, "TERM": "xterm"}, capture_output=True, check=True,
        )
        assert (b"\x1b[1m" in done.stdout) is coloured


def test_an_added_folder_without_kb_is_a_usage_error(dpkb, tmp_path):
    done = dpkb("search", "x", "--kb", tmp_path)
    assert done.returncode == 2
    assert str(Path(tmp_path)) in done.stderr and "Traceback" not in done.stderr
