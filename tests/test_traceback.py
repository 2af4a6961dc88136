"""The explanation under a traceback, in real processes."""

import os
import subprocess
import sys

import pytest

pytestmark = pytest.mark.slow

NET = """
import torch
from torch import nn

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.tokens = nn.Embedding(10, 512)
        self.head = nn.Sequential(nn.ReLU(), nn.Linear(510, 2))
    def forward(self, batch):
        hidden = self.tokens(batch["ids"])
        return self.head(hidden)
"""
INSTALL = "from dpkb.traceback import install; install()\n"


@pytest.fixture
def explain(tmp_path):
    """explain(code) -> what follows the traceback of a program, which is whole and comes first."""

    def run(code, options=("-m", "dpkb.traceback")):
        (tmp_path / "train.py").write_text(code)
        plain, explained = (
            subprocess.run(
                [sys.executable, *before, "train.py"],
                cwd=tmp_path,
                env={**os.environ, "COLUMNS": "90"},
                capture_output=True,
                text=True,
            )
            for before in ((), options)
        )
        assert plain.returncode == explained.returncode and plain.stdout == explained.stdout
        if options:
            assert explained.stderr.startswith(plain.stderr)
        return explained.stderr[len(plain.stderr) if options else 0 :]

    return run


def test_the_layer_the_tensors_and_the_entry(explain):
    added = explain(NET + "\nNet()({'ids': torch.arange(8)})\n")
    assert "    self   Linear(in_features=510, out_features=2, bias=True)\n" in added
    assert "    input  float32 (8, 512) on cpu, requires grad\n" in added
    assert "    batch['ids']  int64 (8,) on cpu, 0 to 7\n" in added
    assert "\nS1    " in added and "more: dpkb show S1" in added


def test_numbers_that_say_why(explain):
    added = explain(NET + "\nids = torch.tensor([3, 10])\nNet()({'ids': ids})\n")
    assert "Embedding(10, 512)" in added and "int64 (2,) on cpu, 3 to 10" in added and "\nS2 " in added


def test_nan_is_seen_and_the_tensors_on_a_device_are_not_read(explain):
    code = "import torch\nx = torch.tensor([1.0, float('nan')])\ny = torch.ones(2, 3, device='meta')\nx.view(3), y\n"
    added = explain(code)
    assert "    x  float32 (2,) on cpu, has nan\n    y  float32 (2, 3) on meta\n" in added


def test_nothing_follows_what_dpkb_does_not_know(explain):
    assert explain("raise ValueError('of the program')\n") == ""
    assert explain("raise SystemExit(3)\n") == explain("raise KeyboardInterrupt\n") == ""
    assert explain("print('a'\n") == "", "no frame of dpkb is in the traceback of wrong syntax"


def test_objects_of_the_program_are_asked_nothing(explain):
    code = """
import torch
class Odd:
    def __getattr__(self, name): raise SystemError(name)
    __repr__ = __len__ = __iter__ = __bool__ = __eq__ = __getattr__
    __hash__ = None
def train(odd, x):
    return x.view(7), odd.loss
train(Odd(), torch.ones(6))
"""
    assert "    x  float32 (6,) on cpu\n" in explain(code)


def test_a_deep_recursion_ends(explain):
    code = INSTALL + "import torch\ndef f(x):\n    return f(x)\nf(torch.ones(3))\n"
    assert "x  float32 (3,) on cpu" in explain(code, ())


def test_install_keeps_the_hook_that_was_there_and_sees_threads(explain):
    code = """
import sys, threading, torch
sys.excepthook = lambda kind, error, trace: print("mine:", error, file=sys.stderr)
from dpkb.traceback import install
install(), install()
thread = threading.Thread(target=lambda: torch.ones(2, 3) @ torch.ones(2, 3))
thread.start(), thread.join()
first, second = torch.ones(5, 4), torch.ones(3, 2)
first @ second
"""
    text = explain(code, ())
    assert text.count("Exception in thread") == text.count("mine:") == 1
    assert text.count("first   float32 (5, 4) on cpu") == 1 and text.count("more: dpkb show S1") == 2


def test_rich_shows_the_traceback_and_the_explanation_follows(explain):
    code = f"import torch, rich.traceback\nrich.traceback.install()\n{INSTALL}x = torch.ones(6)\nx.view(7)\n"
    text = explain(code, ())
    assert 0 < text.index("Traceback (most recent call last)") < text.index("    x  float32 (6,) on cpu\n")
    assert "│" in text


def test_without_memory_for_an_explanation_the_traceback_is_there(explain):
    code = f"""
import resource, sys
{INSTALL}
resource.setrlimit(resource.RLIMIT_AS, (300 << 20, 300 << 20))
held = []
def fill():
    size = 64 << 20
    while size:
        try:
            held.append(bytearray(size))
        except MemoryError:
            size //= 2
def fail():
    fill()
    raise ValueError("of the program")
fail()
"""
    text = explain(code, ())
    assert text.startswith("Traceback (most recent call last):\n")
    assert text.endswith("ValueError: of the program\n")


def test_errors_of_workers_lead_to_their_entry(explain):
    code = """
import torch
from torch.utils.data import DataLoader
if __name__ == "__main__":
    samples = [torch.ones(3), torch.ones(4)]
    for batch in DataLoader(samples, batch_size=2, num_workers=1):
        pass
"""
    assert "more: dpkb show DP4" in explain(code)


def test_a_rank_of_spawn_leads_to_its_entry_without_the_tensors_of_the_main_process(explain):
    code = """
import torch
def train(rank, seen):
    torch.nn.Linear(4, 3)(torch.ones(2, 5))
if __name__ == "__main__":
    seen = torch.zeros(2)
    torch.multiprocessing.spawn(train, (seen,), nprocs=1)
"""
    added = explain(code)
    assert "more: dpkb show S1" in added and "Where it failed" not in added


def test_a_long_path_leaves_room_for_the_code(explain, tmp_path, monkeypatch):
    folder = tmp_path / ("experiments" * 8)
    folder.mkdir()
    (folder / "steps.py").write_text("import torch\ndef fail(x):\n    return x.view(7)\n")
    added = explain(
        "import torch, sys\nsys.path += ['"
        + str(folder)
        + "']\nfrom steps import fail\nfail(torch.ones(3))\n"
    )
    assert "steps.py, line 3: return x.view(7)\n    x  float32 (3,) on cpu\n" in added
    assert max(map(len, added.splitlines())) <= 90


def test_an_exception_is_explained_once_although_a_later_hook_calls_this_one(explain):
    code = f"""
import sys, torch
{INSTALL}
earlier = sys.excepthook
def hook(*error):
    earlier(*error)
    print("uploaded", file=sys.stderr)
sys.excepthook = hook
{INSTALL}
torch.ones(2, 3) @ torch.ones(2, 3)
"""
    text = explain(code, ())
    assert text.count("Traceback") == text.count("uploaded") == text.count("more: dpkb show S1") == 1


def test_what_many_causes_end_in_is_a_guess_and_tensors_of_the_main_process_are_not_those_of_a_worker(
    explain,
):
    code = """
import torch
from torch.utils.data import DataLoader
class Rows(dict):
    def __len__(self):
        return 4
if __name__ == "__main__":
    for batch in DataLoader(Rows({0: torch.ones(3)}), num_workers=1):
        pass
"""
    added = explain(code)
    assert "perhaps: " in added and "more: dpkb show S9" in added and "Where it failed" not in added


@pytest.mark.skipif(sys.version_info < (3, 11), reason="there are no groups before Python 3.11")
def test_of_a_group_the_first_exception_is_explained(explain):
    code = """
import torch
def multiply(first):
    return first @ torch.ones(2, 3)
try:
    multiply(torch.ones(5, 4))
except RuntimeError as error:
    raise ExceptionGroup("parts", [error, ValueError()])
"""
    added = explain(code)
    assert "    first  float32 (5, 4) on cpu\n" in added and "more: dpkb show S1" in added


@pytest.mark.skipif(sys.platform == "win32", reason="there is no timer that sends a signal")
def test_ctrl_c_while_it_explains_ends_the_explanation(explain):
    code = f"""
import signal, sys
def show(*error):
    sys.__excepthook__(*error)
    signal.setitimer(signal.ITIMER_REAL, 0.01)
signal.signal(signal.SIGALRM, signal.default_int_handler)
sys.excepthook = show
{INSTALL}
raise RuntimeError("mat1 and mat2 shapes cannot be multiplied (4x512 and 510x10)")
"""
    text = explain(code, ())
    assert text.count("Traceback") == 1 and text.endswith("(4x512 and 510x10)\n")


def test_an_exception_that_refuses_attributes(explain):
    code = """
class Odd(RuntimeError):
    def __setattr__(self, name, value): raise SystemError
raise Odd("mat1 and mat2 shapes cannot be multiplied (4x512 and 510x10)")
"""
    assert "more: dpkb show S1" in explain(code)


def test_the_entry_is_named_although_the_tensors_cannot_be_read(explain):
    code = """
import sys, types
sys.modules["torch"] = types.ModuleType("torch")
def fail(x):
    raise RuntimeError("mat1 and mat2 shapes cannot be multiplied (4x512 and 510x10)")
fail(1)
"""
    assert "more: dpkb show S1" in explain(code)


def test_importing_it_imports_nothing_else():
    code = f"import sys; before = set(sys.modules)\n{INSTALL}print(*sorted(set(sys.modules) - before))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    added = set(done.stdout.split())
    assert added.isdisjoint({"typing", "re", "json", "torch", "yaml", "importlib.metadata"}), added


@pytest.mark.parametrize(("arguments", "message"), [((), "usage: "), (("no.py",), "there is no such file")])
def test_wrong_use_is_one_line(arguments, message):
    done = subprocess.run(
        [sys.executable, "-m", "dpkb.traceback", *arguments], capture_output=True, text=True
    )
    assert done.returncode == 1 and message in done.stderr and done.stderr.count("\n") == 1
