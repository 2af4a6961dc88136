"""What the audit uses of Python is what Python had when the audit began."""

import builtins
import os
import time

from dpkb_audit import system


def test_what_a_program_replaces_is_not_called(monkeypatch, tmp_path):
    def fail(*_, **__):
        raise AssertionError("the program's own function was called")

    for module, name in ((time, "perf_counter"), (os, "getpid"), (os.path, "join"), (builtins, "open")):
        monkeypatch.setattr(module, name, fail)
    path = system.os.path.join(str(tmp_path), str(system.os.getpid()))
    with system.open(path, "w") as file:
        file.write("text")
    assert system.time.perf_counter() > 0 and tmp_path.joinpath(path).exists()
