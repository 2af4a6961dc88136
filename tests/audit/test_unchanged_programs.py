"""Programs do the same with and without `dpkb audit`. These are the quick ones; `make guest` runs all."""

import json
import os
import subprocess
import sys

import pytest
from support import ROOT
from support.compare_with_plain import PROGRAMS, find_programs

QUICK = [str(program.path.relative_to(ROOT)) for program in find_programs([PROGRAMS], only_quick=True)]
pytestmark = [
    pytest.mark.reproducers,
    pytest.mark.skipif(sys.platform != "linux", reason="reads /proc"),
]


def compare(*arguments, report):
    """Run the comparison as a process. Returns its exit code and a row for each program."""
    command = [sys.executable, "-m", "tests.support.compare_with_plain", "--json", str(report)]
    done = subprocess.run([*command, *map(str, arguments)], cwd=ROOT, stdout=subprocess.DEVNULL, check=False)
    return done.returncode, {row["program"]: row for row in json.loads(report.read_text())}


@pytest.fixture(scope="module")
def quick(tmp_path_factory):
    return compare("--quick", report=tmp_path_factory.mktemp("quick") / "report.json")[1]


@pytest.mark.parametrize("name", QUICK)
def test_a_program_is_not_changed(quick, name):
    row = quick[name]
    if row["skipped"]:
        pytest.skip(f"needs {row['skipped']}")
    assert (row["parts"], row["error"], row["bugs"]) == ([], "", []), row["diff"]


def test_every_kind_of_change_is_seen(tmp_path):
    texts = {
        "stdout": "import os; print('DPKB_AUDIT_FOLDER' in os.environ)",
        "stderr": "import os, sys; 'DPKB_AUDIT_FOLDER' in os.environ and sys.stderr.write('one line more')",
        "end": "import os, sys; sys.exit(0 if 'DPKB_AUDIT_FOLDER' not in os.environ else 3)",
        "files": "import os; open('file', 'w').write(str('DPKB_AUDIT_FOLDER' in os.environ))",
        "left behind": "import os\nif 'DPKB_AUDIT_FOLDER' in os.environ: os.spawnlp(os.P_NOWAIT, 'sleep', 'sleep', '60')",
        "memory": "import os; b'x' * ('DPKB_AUDIT_FOLDER' in os.environ) * (200 << 20)",
    }
    for part, text in texts.items():
        (tmp_path / f"{part.replace(' ', '_')}.py").write_text(text)
    (tmp_path / "fails.py").write_text("1 / 0")
    (tmp_path / "same.py").write_text("# ends: 7\nprint('here')\nraise SystemExit(7)")
    (tmp_path / "needs.py").write_text("# needs: no-such-package>=1\n")
    code, rows = compare(tmp_path, report=tmp_path / "report.json")
    found = {os.path.basename(name)[:-3]: row for name, row in rows.items()}
    assert code == 1
    assert {part: found[part.replace(" ", "_")]["parts"] for part in texts} == {
        part: [part] for part in texts
    }
    assert "ZeroDivisionError" in found["fails"]["error"]
    assert found["needs"]["skipped"] == "no-such-package>=1"
    same = found["same"]
    assert (same["parts"], same["error"], same["skipped"], same["bugs"]) == ([], "", "", [])
