"""Every event that a check may watch is emitted somewhere."""

import ast

from dpkb_audit.events import EVENTS

from dpkb.audit.guest_half import FOLDER


def events_emitted_by(call):
    """The events that a call `emit(event, ...)` names, or `Finalize(None, emit, (event, ...))`."""
    name = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
    events = []
    if name in ("emit", "emit_state"):
        events = call.args[:1]
    elif name == "Finalize":
        events = getattr(call.args[-1], "elts", [])[:1]
    return {event.value for event in events if isinstance(event, ast.Constant) and event.value}


def test_the_watching_functions_emit_every_event_and_no_other():
    calls = [
        node
        for path in (FOLDER / "dpkb_audit").glob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call)
    ]
    assert set().union(*map(events_emitted_by, calls)) == set(EVENTS)
