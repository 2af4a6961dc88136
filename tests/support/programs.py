"""Runs small programs of tests in processes of their own."""

import os
import subprocess
import sys
import textwrap


def run_program(code, folder, *arguments):
    """Write a program into a folder and run it there; it must end without an error."""
    (folder / "program.py").write_text(textwrap.dedent(code))
    done = subprocess.run(
        [sys.executable, "program.py", *arguments],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": "", "HF_HUB_OFFLINE": "1"},
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done
