"""The failures that a machine makes likely, as text and as JSON."""

import json

from dpkb.audit.doctor import Advice, Plan, advise
from dpkb.audit.machine import Machine
from dpkb.output.doctor import doctor_fields, render_doctor


def test_each_limit_has_a_line_and_the_last_line_names_the_first_likely_entry():
    machine = Machine("linux", None, None, 1024, 1 << 30, None, 4, 4.0, "3.11.7")
    advice = [Advice("DP15", True, "too small"), Advice("DP20", False, "roomy"), Advice("T8", None, "ask")]
    assert render_doctor(machine, advice).splitlines() == [
        "Python 3.11.7, torch not installed",
        "LIKELY DP15  too small",
        "ok     DP20  roomy",
        "note   T8    ask",
        "more: dpkb show DP15",
    ]
    assert "more:" not in render_doctor(machine, advice[1:])
    fields = doctor_fields(machine, Plan(workers=2), advice)
    assert [line["help"] for line in fields["advice"]] == [f"dpkb show {one.id}" for one in advice]
    assert fields["plan"]["workers"] == 2 and json.loads(json.dumps(fields)) == fields


def test_a_limit_that_depends_on_the_program_is_a_note():
    machine = Machine("linux", 16 << 30, 16 << 30, 65536, 64 << 30, None, 16, 4.0, "3.11.7")
    plan = Plan(workers=8, worker_bytes=1 << 20, tensors=2)
    shown = render_doctor(machine, advise(machine, plan), width=1000).splitlines()
    narrow = render_doctor(machine, advise(machine, plan), width=60).splitlines()
    assert max(map(len, narrow)) <= 60 and " ".join(" ".join(narrow).split()) == " ".join(
        " ".join(shown).split()
    )
    assert [line.split()[0] for line in shown[1:]] == ["note", "ok", "ok", "note", "note"]
