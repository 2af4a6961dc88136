"""Runs dpkb's command line in the process of the tests, if streams and signals do not matter."""

from __future__ import annotations

import codecs
import contextlib
import io
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from unittest import mock

from dpkb.cli.main import run_command_line
from dpkb.text import replace_with_ascii


def run_in_process(
    *arguments: object,
    cwd: Path,
    env: Mapping[str, str] | None = None,
) -> subprocess.CompletedProcess[str]:
    """Run a command line, and return its exit code and its outputs as those of a process."""
    codecs.register_error("dpkb", replace_with_ascii)
    out, err = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8", errors="dpkb") for _ in range(2))
    words = [str(argument) for argument in arguments]
    before = os.getcwd()
    os.chdir(cwd)
    try:
        with (
            open(os.devnull, encoding="utf-8") as stdin,
            mock.patch.object(sys, "stdin", stdin),
            mock.patch.dict(os.environ, env or {}),
            contextlib.redirect_stdout(out),
            contextlib.redirect_stderr(err),
        ):
            code = run_command_line(words)
    finally:
        os.chdir(before)
    texts = []
    for stream in (out, err):
        stream.flush()
        texts.append(stream.buffer.getvalue().decode())  # type: ignore[attr-defined]
    return subprocess.CompletedProcess(words, code, *texts)
