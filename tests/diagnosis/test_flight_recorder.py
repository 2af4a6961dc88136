"""Dumps that are files of their own: those that are cut, forged, or would run code."""

import json
import pickle

import pytest
from support import ROOT

from dpkb.diagnosis import flight_recorder
from dpkb.errors import DpkbError

DUMPS = ROOT / "tests" / "diagnosis" / "stacks"


class Evil:
    def __reduce__(self):
        return print, ("this must not run",)


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (pickle.dumps(Evil()), "is a pickle that would run builtins.print, so it was not read"),
        (pickle.dumps({"entries": [Evil()]}, 0).join([b"\x80\x02", b""]), "would run"),
        ((DUMPS / "barrier_trace_rank_0").read_bytes()[:900], "is cut"),
        (pickle.dumps([1, 2]), "is no dump"),
        (pickle.dumps({"entries": [{"frames": 3, "state": "x"}]}), "is no dump"),
        (b"\x80\x02r\xff\xff\xff\xff.", "is no dump"),
        (json.dumps([{"thread_id": 1}]).encode(), "is no dump"),
        ((DUMPS / "barrier.py-spy.json").read_bytes()[:900], "is cut"),
    ],
)
def test_a_bad_dump_is_one_line_and_runs_nothing(data, says, capfd):
    assert flight_recorder.is_dump(data)
    with pytest.raises(DpkbError, match=says):
        flight_recorder.read_dump(data, "dump", 0)
    assert capfd.readouterr().out == ""


def test_a_bad_dump_among_others_is_reported(dpkb_in_process, tmp_path):
    for n in range(3):
        (tmp_path / f"trace_rank_{n}").write_bytes((DUMPS / f"uneven_trace_rank_{n}").read_bytes())
    (tmp_path / "trace_rank_3").write_bytes(pickle.dumps(Evil()))
    done = dpkb_in_process("diagnose", tmp_path, "--json")
    found = json.loads(done.stdout)
    assert found["matches"][0]["id"] == "D9" and len(found["stacks"]) == 3
    assert "would run builtins.print" in done.stderr and done.returncode == 0


def test_a_folder_of_dumps_is_read(dpkb_in_process, tmp_path):
    (tmp_path / "config.json").write_text("{}")
    (tmp_path / "py-spy.json").write_bytes((DUMPS / "barrier.py-spy.json").read_bytes())
    found = json.loads(dpkb_in_process("diagnose", tmp_path, "--json").stdout)
    assert [match["id"] for match in found["matches"]] == ["D21"]
