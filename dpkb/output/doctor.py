"""The failures that a machine makes likely, as text or JSON."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict

from dpkb.audit.doctor import Advice, Plan
from dpkb.audit.machine import Machine
from dpkb.text import wrap

_VERDICTS = {True: "LIKELY", False: "ok", None: "note"}


def render_doctor(machine: Machine, advice: Sequence[Advice], width: int = 100) -> str:
    """A line for each limit of the machine, with the entry that it leads to."""
    lines = [f"Python {machine.python}, torch {machine.torch or 'not installed'}"]
    lines += [
        f"{_VERDICTS[line.likely]:7}{line.id:5}{wrap(line.message, width, ' ' * 13)[12:]}" for line in advice
    ]
    likely = [line.id for line in advice if line.likely]
    return "\n".join([*lines, f"more: dpkb show {likely[0]}"] if likely else lines)


def doctor_fields(machine: Machine, plan: Plan, advice: Sequence[Advice]) -> dict[str, object]:
    """The JSON fields of `dpkb doctor`."""
    return {
        "machine": asdict(machine),
        "plan": asdict(plan),
        "advice": [{**asdict(line), "help": f"dpkb show {line.id}"} for line in advice],
    }
