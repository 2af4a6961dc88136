"""The audit as a library, in a process that has imported torch and built its model before."""

import json
import os
import signal
import subprocess
import sys
import textwrap

import pytest
from support.programs import run_program

pytestmark = pytest.mark.slow


def run(code, folder):
    return run_program(code, folder).stdout.splitlines()


def test_a_block_is_watched_and_nothing_after_it(tmp_path):
    lines = run(
        """
        import os
        import torch
        from torch import nn

        torch.manual_seed(0)
        model = nn.Linear(4, 3)
        optimizer = torch.optim.Adam(model.parameters())
        inputs, labels = torch.randn(8, 4), torch.randint(3, (8,))

        def train():
            for _ in range(5):
                nn.functional.cross_entropy(model(inputs), labels).backward()
                optimizer.zero_grad()
                optimizer.step()

        def watched():
            return (torch.autograd.backward, nn.functional.cross_entropy, torch.optim.Adam.step,
                    nn.Module.register_forward_hook, dict(os.environ))

        real = watched()
        from dpkb.audit import watch
        with watch() as report:
            train()
        print([finding.id for finding in report.findings])
        print(report.findings[0].file, report.findings[0].line)
        print(watched() == real)
        with watch(ignore=["O1"]) as report:
            train()
        print(report.findings)
        with watch() as report:
            pass
        train()
        print(report.findings)
    """,
        tmp_path,
    )
    assert lines == ["['O1']", f"{tmp_path}/program.py 14", "True", "[]", "[]"]


def test_workers_in_a_block(tmp_path):
    lines = run(
        """
        import random
        import torch
        from torch.utils.data import DataLoader, Dataset

        class Crops(Dataset):
            random = random.Random(0)
            def __init__(self):
                self.random = random.Random(0)
            def __len__(self):
                return 8
            def __getitem__(self, index):
                return self.random.random()

        if __name__ == "__main__":
            from dpkb.audit import watch
            for method in ("fork", "spawn"):
                with watch() as report:
                    list(DataLoader(Crops(), num_workers=2, batch_size=2, multiprocessing_context=method))
                print([finding.id for finding in report.findings], len(report.result.processes))
    """,
        tmp_path,
    )
    assert lines == ["['DP1'] 3"] * 2


def test_a_block_may_clear_the_environment(tmp_path):
    assert run(
        """
        import os
        import torch
        import dpkb.audit

        with dpkb.audit.watch() as report:
            os.environ.clear()
        print(len(report.findings))
        """,
        tmp_path,
    ) == ["0"]


@pytest.mark.skipif(sys.platform != "linux", reason="reads the open files from /proc")
def test_a_block_leaves_no_file_open(tmp_path):
    assert run(
        """
        import os
        import torch
        from torch.utils.data import DataLoader
        import dpkb.audit

        def find_open_files():
            paths = [f"/proc/self/fd/{number}" for number in os.listdir("/proc/self/fd")]
            return [os.readlink(path) for path in paths if os.path.islink(path)]

        with dpkb.audit.watch():
            list(DataLoader(range(4), num_workers=1, multiprocessing_context="fork"))
            print(any("dpkb-audit-" in file for file in find_open_files()))
        print(any("dpkb-audit-" in file for file in find_open_files()))
        """,
        tmp_path,
    ) == ["False", "False"]


def test_a_report_prints_itself_and_can_fail_a_test(tmp_path):
    lines = run(
        """
        import dpkb
        import torch
        from torch import nn

        model = nn.Linear(4, 3)
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        with dpkb.audit.watch() as report:
            print(report)
            for _ in range(20):
                nn.functional.cross_entropy(model(torch.randn(8, 4)), torch.randint(3, (8,))).backward()
                optimizer.step()
        print(report)
        print("<pre>O38" in report._repr_html_())
        try:
            report.raise_for_findings()
        except AssertionError as error:
            print(str(error) == str(report))
        with dpkb.audit.watch() as report:
            pass
        report.raise_for_findings()
        print(report)
        """,
        tmp_path,
    )
    assert lines[0] == "dpkb audit: the block has not ended"
    assert lines[1].startswith("O38 certain: the last 3 steps used") and "program.py:12)" in lines[1]
    assert (
        lines[2].startswith("    fix: call optimizer.zero_grad()") and lines[3] == "    more: dpkb show O38"
    )
    assert lines[4:] == ["True", "True", "dpkb audit: nothing found in 0 optimizer steps"]


def test_a_block_may_be_the_first_to_import_torch(tmp_path):
    lines = run(
        """
        import dpkb

        with dpkb.audit.watch(on_finding=None) as report:
            import torch
            model = torch.nn.Linear(4, 3)
            optimizer = torch.optim.SGD(torch.nn.Linear(4, 3).parameters(), lr=0.1)
            for _ in range(5):
                torch.nn.functional.mse_loss(model(torch.ones(2, 4)), torch.ones(2, 3)).backward()
                optimizer.step()
        print(*[finding.id for finding in report.findings])
        """,
        tmp_path,
    )
    assert lines == ["O2"]


def test_without_torch_one_line_says_so(tmp_path):
    lines = run(
        """
        import sys
        sys.modules["torch"] = None
        import dpkb
        try:
            with dpkb.audit.watch():
                pass
        except Exception as error:
            print(error)
        """,
        tmp_path,
    )
    assert lines == ["dpkb.audit.watch() needs torch in this Python"]


def test_findings_are_told_as_they_are_made(tmp_path):
    lines = run(
        """
        import json, torch
        import dpkb

        model = torch.nn.Linear(4, 3)
        optimizer = torch.optim.SGD(model.parameters(), 0.1)
        with dpkb.audit.watch(on_finding=lambda finding: print(finding.id), json_lines="found.jsonl") as report:
            for step in range(5):
                print("step", step)
                loss = torch.nn.functional.cross_entropy(model(torch.randn(8, 4)).softmax(1), torch.zeros(8).long())
                loss.backward()
                optimizer.step()
        print(sorted(finding.id for finding in report.findings))
        print([json.loads(line)["id"] for line in open("found.jsonl")])
    """,
        tmp_path,
    )
    assert lines[:2] == ["step 0", "O14"] and lines.index("O38") < lines.index("step 4")
    assert lines[-2:] == ["['O14', 'O38']", "['O14', 'O38']"]


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="there is no disk that is always full")
def test_a_file_of_findings_that_cannot_be_written_is_named(tmp_path):
    done = subprocess.run(
        [
            sys.executable,
            "-c",
            """if True:
            import torch
            import dpkb

            try:
                with dpkb.audit.watch(json_lines="/dev/null/found.jsonl"):
                    print("never")
            except OSError as error:
                print(error.filename)
            with dpkb.audit.watch(on_finding=None, json_lines="/dev/full"):
                torch.nn.functional.cross_entropy(torch.randn(8, 4).softmax(1), torch.zeros(8).long())
            """,
        ],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == "/dev/null\n"
    assert done.stderr == "dpkb audit: /dev/full: cannot be written: No space left on device\n"


@pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGKILL")
def test_a_rank_that_is_killed_leaves_what_was_seen_in_its_own_file(tmp_path):
    code = """
        import os, signal, torch
        import dpkb

        model = torch.nn.Linear(4, 3)
        with dpkb.audit.watch(json_lines="found.jsonl"):
            torch.nn.functional.cross_entropy(model(torch.randn(8, 4)).softmax(1), torch.zeros(8).long())
            os.kill(os.getpid(), signal.SIGKILL)
    """
    for rank in "02":
        (tmp_path / "killed.py").write_text(textwrap.dedent(code))
        done = subprocess.run(
            [sys.executable, "killed.py"], cwd=tmp_path, env={**os.environ, "RANK": rank, "WORLD_SIZE": "3"}
        )
        assert done.returncode == -signal.SIGKILL
    for name, rank in (("found.jsonl", 0), ("found.jsonl.rank2", 2)):
        (line,) = (tmp_path / name).read_text().splitlines()
        assert json.loads(line)["id"] == "O14" and json.loads(line)["where"]["rank"] == rank
