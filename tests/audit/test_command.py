"""`dpkb audit` on real programs: it gets into every process, and changes nothing."""

import json
import os
import subprocess
import sys
import textwrap
from functools import partial

import pytest
from support.audit_journal import FINDS_DP1

pytestmark = pytest.mark.slow
# A training program whose workers repeat their random numbers (DP1).
TRAINING = """
    import sys
    import numpy as np
    import torch
    from torch.utils.data import DataLoader, Dataset

    class Descent:
        def __init__(self, parameters):
            self.parameters = list(parameters)
        def zero_grad(self):
            for parameter in self.parameters:
                parameter.grad = None
        def step(self):
            with torch.no_grad():
                for parameter in self.parameters:
                    parameter -= 0.01 * parameter.grad

    class Noisy(Dataset):
        def __init__(self):
            self.rng = np.random.default_rng(0)
        def __len__(self):
            return 32
        def __getitem__(self, index):
            return torch.tensor(self.rng.normal(size=4), dtype=torch.float32), torch.rand(1)

    def train(rank=0):
        torch.manual_seed(rank)
        model = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.Dropout(0.5), torch.nn.Linear(8, 1))
        optimizer = OPTIMIZER(model.parameters())
        loader = DataLoader(Noisy(), batch_size=4, num_workers=2, shuffle=True,
                            multiprocessing_context=CONTEXT)
        for epoch in range(EPOCHS):
            for inputs, targets in loader:
                loss = torch.nn.functional.mse_loss(model(inputs), targets)
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
                print(rank, repr(loss.item()), flush=True)
"""
MAIN = """
    if __name__ == "__main__":
        train()
"""


def write(folder, code=MAIN, context="fork", epochs=1, optimizer="Descent"):
    """Write a training program into a folder, with one epoch: a second one starts all workers again.

    optimizer: one of torch.optim imports torch._dynamo, which takes as long as importing torch.
    """
    training = TRAINING.replace("CONTEXT", repr(context)).replace("EPOCHS", str(epochs))
    training = training.replace("OPTIMIZER", optimizer)
    (folder / "train.py").write_text(textwrap.dedent(training) + textwrap.dedent(code))
    return "train.py"


def start(folder, *command, audit=True, **variables):
    """Run a command in a folder, under audit or without it."""
    report = folder / "report.json"
    prefix = [sys.executable, "-m", "dpkb", "audit", "--json", report.name] if audit else []
    report.unlink(missing_ok=True)
    done = subprocess.run(
        [*prefix, *command],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=300,
        env={**os.environ, **variables},
        check=False,
    )
    done.report = json.loads(report.read_text()) if report.exists() else None
    return done


@pytest.fixture
def program(tmp_path):
    return partial(write, tmp_path)


@pytest.fixture
def run(tmp_path):
    return partial(start, tmp_path)


@pytest.fixture(scope="module")
def training(tmp_path_factory):
    """A folder with a training program of two epochs."""
    folder = tmp_path_factory.mktemp("training")
    write(folder, epochs=2, optimizer="torch.optim.Adam")
    return folder


@pytest.fixture(scope="module")
def audited(training):
    """That training under audit, run once for all tests that read its report."""
    return start(training, "--", sys.executable, "train.py")


def ids(done):
    # On a slow machine it takes long to start new workers in each epoch. T5 is then right to report it.
    return {finding["id"] for finding in done.report["findings"]} - {"T5"}


def test_a_training_computes_the_same(training, audited):
    plain = start(training, sys.executable, "train.py", audit=False)
    assert audited.stdout == plain.stdout and plain.stdout.count("\n") == 16
    assert (audited.returncode, plain.returncode) == (0, 0)
    assert ids(audited) == {"DP1"} and audited.report["failures"] == []
    assert "DP1 certain" in audited.stderr and "train.py:" in audited.stderr


def test_a_program_that_asks_for_torch_before_it_imports_it(program, run):
    name = program()
    done = run(
        "--",
        sys.executable,
        "-c",
        "import importlib.util, runpy\n"
        "assert importlib.util.find_spec('torch') and importlib.util.find_spec('torch')\n"
        f"runpy.run_path({name!r}, run_name='__main__')",
    )
    assert ids(done) == {"DP1"} and done.returncode == 0


@pytest.mark.parametrize("context", ["spawn", "forkserver"])
def test_workers_that_are_not_forked(program, run, context):
    done = run("--", sys.executable, program(context=context))
    assert ids(done) == {"DP1"} and done.returncode == 0
    assert {process["worker"] for process in done.report["processes"]} == {None, 0, 1}


def test_workers_that_are_killed_with_their_program(program, run):
    done = run(
        "--",
        sys.executable,
        program("""
        loader = DataLoader(torch.arange(8), num_workers=2, persistent_workers=True)
        assert len(list(loader)) == 8
    """),
    )
    assert sorted(process["worker"] for process in done.report["processes"][1:]) == [0, 1]
    assert "1 process with torch, 2 workers," in done.stderr


def test_ranks_of_torchrun_in_a_shell_script(program, run, tmp_path):
    name = program('import os\ntrain(int(os.environ["RANK"]))\n')
    (tmp_path / "start.sh").write_text(
        f"{sys.executable} -m torch.distributed.run --standalone --nproc_per_node 2 {name}\n"
    )
    done = run("--", "sh", "start.sh")
    assert done.returncode == 0 and ids(done) == {"DP1"}
    assert {0, 1} <= {process["rank"] for process in done.report["processes"]}


def test_ranks_that_are_spawned(program, run):
    done = run(
        "--",
        sys.executable,
        program("""
        if __name__ == "__main__":
            torch.multiprocessing.spawn(train, nprocs=2)
    """),
    )
    assert done.returncode == 0 and ids(done) == {"DP1"}
    ended = [process for process in done.report["processes"] if process["worker"] is None]
    assert len(ended) == 3 and all(process["seconds"] for process in ended)


def test_the_report_says_what_loaders_need(audited):
    (loader,) = audited.report["loaders"]
    # 4 samples of 4 numbers, and 4 of 1, of 4 bytes each.
    assert (loader["workers"], loader["batch_bytes"], loader["batch_tensors"]) == (2, 80, 2)
    assert loader["worker_bytes"] > 1 << 20 and loader["file"].endswith("train.py")


def test_a_batch_that_cannot_be_read_does_not_disturb_the_training(program, run):
    done = run(
        "--",
        sys.executable,
        program("""
        from collections.abc import Mapping

        class Lazy(Mapping):
            def __getitem__(self, name):
                raise RuntimeError("not loaded")
            def __iter__(self):
                return iter(["image"])
            def __len__(self):
                return 1

        for _ in DataLoader(range(4), batch_size=2, collate_fn=lambda samples: Lazy()):
            print("batch", flush=True)
    """),
    )
    assert done.returncode == 0 and done.stdout == "batch\n" * 2
    assert done.report["failures"] == [], "no method of the batch is called for a look"


def test_a_program_that_fails_keeps_its_code_and_is_explained(program, run):
    done = run(
        "--",
        sys.executable,
        program("""
        torch.nn.functional.cross_entropy(torch.randn(4, 3), torch.zeros(4, 1, dtype=torch.long))
    """),
    )
    assert done.returncode == 1 and ids(done) == {"O14"}
    assert "0D or 1D target tensor expected" in done.stderr


def test_a_program_that_is_killed_is_reported(program, run):
    done = run(
        "--",
        sys.executable,
        program("""
        if __name__ == "__main__":
            train()
            import os
            os.kill(os.getpid(), 9)
    """),
    )
    assert done.returncode == -9 and ids(done) == {"DP1"}


def test_a_training_is_ended_after_the_steps_that_were_asked_for(program, run):
    done = run(
        "--steps",
        "3",
        "--",
        sys.executable,
        program(
            """
        if __name__ == "__main__":
            while True:
                train()
    """,
            optimizer="torch.optim.Adam",
        ),
    )
    assert done.returncode == 0 and "was ended by dpkb after 3 steps" in done.stderr and ids(done) == {"DP1"}


# Does eight optimizer steps within a few milliseconds.
EIGHT_STEPS = """
    import torch

    layer = torch.nn.Linear(2, 2)
    optimizer = torch.optim.SGD(layer.parameters(), lr=0.1)
    for _ in range(8):
        layer(torch.ones(1, 2)).sum().backward()
        optimizer.step()
"""


@pytest.mark.parametrize(
    ("last", "code"),
    [("raise ValueError('crashed after step 8')", 1), ("raise SystemExit(3)", 3), ("print('finished')", 0)],
)
def test_a_program_that_ends_by_itself_after_these_steps_was_not_ended_by_dpkb(run, tmp_path, last, code):
    (tmp_path / "short.py").write_text(textwrap.dedent(EIGHT_STEPS) + last + "\n")
    done = run("--steps", "5", "--", sys.executable, "short.py")
    assert done.returncode == done.report["exit_code"] == code
    assert f"ended with code {code}" in done.stderr and "ended by dpkb" not in done.stderr


@pytest.fixture
def finds_dp1(tmp_path):
    """The file of a program in which DP1 is found."""
    path = tmp_path / "finds.py"
    path.write_text(FINDS_DP1)
    return path


def test_strict_returns_1_for_a_finding_that_is_not_silenced(run, finds_dp1):
    command = ("--strict", "--", sys.executable, finds_dp1.name)
    done = run(*command)
    assert done.returncode == 1 and ids(done) == {"DP1"}
    done = run("--ignore", "dp1", *command)
    assert done.returncode == 0 and ids(done) == set()
    finds_dp1.write_text(FINDS_DP1.replace("loader = None", "loader = None  # dpkb: ignore[DP1]"))
    done = run(*command)
    assert done.returncode == 0 and done.report["silenced"] == 1


NETWORK = """
    import torch
    from torch import nn

    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.stem = nn.Linear(4, 4)
            self.layers = None
            self.layers = [
                nn.Linear(4, 4) for _ in range(2)]
            self.others = [nn.Linear(4, 4)]
            self.mean = torch.zeros(4)
            self.register_buffer(
                "total", torch.zeros(4), persistent=False)

        def forward(self, x):
            self.total = self.total + x.detach().mean(0).abs()
            self.mean = self.mean + x.detach().mean(0).abs()
            for layer in [self.stem, *self.layers, *self.others]:
                x = layer(x - self.mean - self.total)
            return x

    def main():
        net = Net()
        optimizer = torch.optim.SGD(net.parameters(), lr=0.001)
        for _ in range(9):
            optimizer.zero_grad()
            net(torch.rand(8, 4)).sum().backward()
            optimizer.step()
        torch.save(net.state_dict(), "net.pt")

    if __name__ == "__main__":
        main()
"""


def test_one_comment_silences_lint_and_audit(run, tmp_path):
    file = tmp_path / "net.py"
    file.write_text(textwrap.dedent(NETWORK))

    def lint_and_audit():
        linted = subprocess.run(
            [sys.executable, "-m", "dpkb", "lint", "--json", file.name],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=False,
        )
        return [
            {
                (finding["id"], finding["where"]["line"])
                for finding in report["findings"]
                if finding["id"] in ("N2", "N3", "N5")
            }
            for report in (json.loads(linted.stdout), run("--", sys.executable, file.name).report)
        ]

    # Line 9 only sets the attribute to None.
    everything = {("N3", 10), ("N3", 12), ("N2", 13), ("N5", 14)}
    assert lint_and_audit() == [everything, everything]
    lines = file.read_text().splitlines()
    for entry_id, number in everything - {("N3", 12)}:
        lines[number - 1] += f"  # dpkb: ignore[{entry_id}]"
    file.write_text("\n".join(lines))
    assert lint_and_audit() == [{("N3", 12)}, {("N3", 12)}]


def test_the_report_of_a_training_is_compared_with_later_runs(run, finds_dp1, tmp_path, audited):
    # On a slow machine T5 was found too.
    found = [finding for finding in audited.report["findings"] if finding["id"] == "DP1"]
    (tmp_path / "before.json").write_text(json.dumps({**audited.report, "findings": found}))
    done = run("--compare", "before.json", "--", sys.executable, finds_dp1.name)
    assert done.report["compared"] == {"gone": [], "left": ["DP1"], "new": []}
    done = run("--compare", "before.json", "--", "true")
    assert done.report["compared"] == {"gone": ["DP1"], "left": [], "new": []} and "gone: DP1" in done.stderr


def test_a_program_without_torch_is_not_watched(run):
    done = run("--", sys.executable, "-c", "print(1)")
    assert done.returncode == 0 and done.stdout == "1\n" and "nothing was watched" in done.stderr


def test_strict_does_not_succeed_if_nothing_was_watched(run):
    done = run("--strict", "--", sys.executable, "-I", "-c", "import torch")
    assert done.returncode == 2 and done.report["processes"] == []
    assert "dpkb: --strict: nothing was watched" in done.stderr and "without -I, -E and -S" in done.stderr


def test_the_users_own_sitecustomize_runs(run, tmp_path):
    (tmp_path / "own").mkdir()
    (tmp_path / "own" / "sitecustomize.py").write_text("import os\nos.environ['OWN'] = 'ran'\n")
    done = run(
        "--",
        sys.executable,
        "-c",
        "import os, torch; print(os.environ['OWN'])",
        PYTHONPATH=str(tmp_path / "own"),
    )
    assert done.stdout == "ran\n" and len(done.report["processes"]) == 1


def test_pickling_compiling_and_tracing_work_as_before(run, tmp_path):
    (tmp_path / "program.py").write_text(
        textwrap.dedent("""
        import copy, pickle, torch
        from torch import nn
        from torch.utils.data import DataLoader, TensorDataset

        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.layer = nn.Linear(3, 3)
            def forward(self, x, labels):
                return nn.functional.cross_entropy(nn.functional.dropout(self.layer(x), 0.0), labels)

        torch.manual_seed(0)
        loader = DataLoader(TensorDataset(torch.rand(8, 3), torch.zeros(8, dtype=torch.long)), batch_size=4)
        for x, labels in pickle.loads(pickle.dumps(copy.deepcopy(loader))):
            pass
        net = Net()
        pickle.dumps(net)
        print(torch.jit.script(net)(x, labels).item(), torch.jit.trace(net, (x, labels))(x, labels).item())
        print(torch.fx.symbolic_trace(net)(x, labels).item())
        if hasattr(torch, "compile"):
            compiled = torch.compile(net, backend="eager", fullgraph=True)
            print(compiled(x, labels).item())
    """)
    )
    plain = run(sys.executable, "program.py", audit=False)
    done = run("--", sys.executable, "program.py")
    assert plain.returncode == 0, plain.stderr
    assert done.stdout == plain.stdout
    assert done.report["failures"] == [] and done.report["findings"] == []


def test_warnings_name_the_line_of_the_program(run, tmp_path):
    (tmp_path / "program.py").write_text(
        textwrap.dedent("""
        import torch
        model = torch.nn.Linear(2, 1)
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 1)
        scheduler.step(2)
        torch.nn.functional.mse_loss(model(torch.ones(3, 2)), torch.ones(3))
    """)
    )
    plain = run(sys.executable, "program.py", audit=False)
    done = run("--", sys.executable, "program.py")
    assert "program.py:6: UserWarning" in plain.stderr and "program.py:7: UserWarning" in plain.stderr
    assert done.stderr.startswith(plain.stderr)


def test_the_report_replaces_an_earlier_one_in_one_step(run, tmp_path):
    """A report that is cut off in the middle is useless."""
    earlier = tmp_path / "earlier"
    earlier.write_text("an earlier report")
    (tmp_path / "target.json").hardlink_to(earlier)
    (tmp_path / "link.json").symlink_to("target.json")
    run("--json", "link.json", "--", sys.executable, "-c", "")
    assert earlier.read_text() == "an earlier report"
    assert json.loads((tmp_path / "target.json").read_text())["findings"] == []
    assert (tmp_path / "link.json").is_symlink()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["earlier", "link.json", "target.json"]


LATE = """
    import time, torch
    model = torch.nn.Linear(4, 3)
    optimizer = torch.optim.SGD(model.parameters(), 0.1)
    for step in range(5):
        torch.nn.functional.cross_entropy(model(torch.randn(8, 4)).softmax(1), torch.randint(3, (8,))).backward()
        optimizer.step()
    while not __import__("os").path.exists("seen"):
        time.sleep(0.1)
"""


def test_findings_are_written_while_the_command_runs(tmp_path):
    (tmp_path / "train.py").write_text(textwrap.dedent(LATE))
    command = [
        sys.executable,
        "-m",
        "dpkb",
        "audit",
        "--json-lines",
        "found.jsonl",
        "--",
        sys.executable,
        "train.py",
    ]
    with subprocess.Popen(command, cwd=tmp_path, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr.readline().startswith("dpkb: O14 certain: ")
        assert process.poll() is None
        (tmp_path / "seen").touch()
        rest = process.stderr.read()
    found = [json.loads(line)["id"] for line in (tmp_path / "found.jsonl").read_text().splitlines()]
    assert sorted(found) == ["O14", "O38"] and process.returncode == 0
    assert "dpkb audit: " in rest and "O14 certain" in rest  # the report has them too


def test_a_file_for_findings_that_cannot_be_written(tmp_path, run):
    (tmp_path / "seen").touch()
    (tmp_path / "train.py").write_text(textwrap.dedent(LATE))
    done = run("--json-lines", "train.py/found.jsonl", "--", sys.executable, "train.py")
    assert done.returncode == 74 and "train.py: cannot be written" in done.stderr


RAISES = """
    import sys
    import torch
    from torch.utils.data import DataLoader, Dataset

    class Ragged(Dataset):
        def __len__(self):
            return 8
        def __getitem__(self, index):
            sample = torch.zeros(3)
            return torch.cat([sample, torch.zeros(2, 2)])

    def work(rank):
        return torch.nn.Linear(510, 10)(torch.randn(4, 512))

    if __name__ == "__main__":
        if sys.argv[1] == "worker":
            next(iter(DataLoader(Ragged(), num_workers=1)))
        elif sys.argv[1] == "spawn":
            torch.multiprocessing.spawn(work, nprocs=1)
        elif sys.argv[1] == "caught":
            try:
                work(0)
            except RuntimeError:
                sys.exit(3)
"""


@pytest.mark.parametrize(
    "kind, shown",
    [
        ("worker", ["Where it failed (worker 0):", "sample  float32 (3,) on cpu"]),
        ("spawn", ["Where it failed:", "self   Linear(in_features=510, out_features=10, bias=True)"]),
    ],
)
def test_the_tensors_where_a_worker_or_a_rank_failed(program, run, kind, shown):
    done = run("--", sys.executable, program(RAISES), kind)
    assert done.returncode == 1 and all(text in done.stderr for text in shown)
    frames = done.report["failed_at"]["frames"]
    assert frames[0]["values"] and frames[0]["line"] > 0


def test_an_exception_that_the_program_handled_is_not_shown(program, run):
    done = run("--", sys.executable, program(RAISES), "caught")
    assert done.returncode == 3 and "Where it failed" not in done.stderr
    assert done.report["failed_at"] is None


RESUMES = """
    import os, signal, sys
    import torch
    torch.manual_seed(0)
    model = torch.nn.Linear(4, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    start = 0
    if "--resume" in sys.argv:
        saved = torch.load("last.pt")
        model.load_state_dict(saved["model"])
        if "--weights" not in sys.argv:
            optimizer.load_state_dict(saved["optimizer"])
        start = saved["step"]
    for step in range(start, 12):
        model(torch.ones(2, 4) * step).pow(2).mean().backward()
        optimizer.step()
        optimizer.zero_grad()
        state = {"model": model.state_dict(), "optimizer": optimizer.state_dict(), "step": step + 1}
        torch.save(state, "last.pt")
        if "--kill" in sys.argv and step == 6:
            os.kill(os.getpid(), signal.SIGKILL)
"""


def test_a_resumed_run_is_compared_with_one_that_was_not_stopped(tmp_path, run):
    (tmp_path / "train.py").write_text(textwrap.dedent(RESUMES))
    train = (sys.executable, "train.py")
    assert run("--trace", "whole", "--", *train).returncode == 0
    done = run("--same-as", "whole", "--trace", "killed", "--", *train, "--kill")
    assert done.returncode == -9 and "trace of the earlier run: equal\n" in done.stderr
    assert (tmp_path / "killed").read_text().count('"passes"') == 7
    done = run("--same-as", "whole", "--steps", "3", "--", *train, "--resume")
    assert done.returncode == 0 and "this run began at step 8; compared up to step 10" in done.stderr
    run(*train, "--kill", audit=False)
    done = run("--same-as", "whole", "--", *train, "--resume", "--weights")
    compared = done.report["same_as"]
    assert (done.returncode, compared["verdict"], compared["step"]) == (1, "different", 8)
    assert compared["differences"][0]["ids"] == ["C1"] and "    more: dpkb show C1\n" in done.stderr
    # The earlier trace is not overwritten, and neither is a file that is none.
    for options, why in (("whole", "is the trace to compare with"), ("train.py", "not a trace")):
        done = run("--same-as", "whole", "--trace", options, "--", *train)
        assert done.returncode == 2 and why in done.stderr
    assert (tmp_path / "train.py").read_text() == textwrap.dedent(RESUMES)
    done = run("--same-as", "whole", "--", sys.executable, "-c", "pass")
    assert done.returncode == 2 and "nothing was watched" in done.stderr
