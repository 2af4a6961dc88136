"""`dpkb repro`: run one script of an entry: the failure, or the fix."""

from __future__ import annotations

from typing import Annotated

import typer

from dpkb.cli.app import (
    NO,
    YES,
    Device,
    Id,
    Json,
    Kb,
    OneTorch,
    Python,
    Timeout,
    Trust,
    app,
    ask,
    load_catalogue,
    print_note,
    warn_unconfined,
)
from dpkb.errors import UsageError


@app.command()
def repro(
    entry_id: Id,
    fixed: Annotated[bool, typer.Option("--fixed", help="Run the fix instead of the failure.")] = False,
    script: Annotated[str | None, typer.Option(metavar="NAME", help="Run this script of the entry.")] = None,
    python: Python = None,
    torch: OneTorch = None,
    device: Device = "auto",
    timeout: Timeout = 120,
    trust: Trust = False,
    as_json: Json = False,
    kb: Kb = None,
) -> int:
    """Run the failure of an entry on this machine, or its fix."""
    from dpkb.output import repro as output
    from dpkb.output.documents import render_document
    from dpkb.run_records import Verdict
    from dpkb.runner.interpreter import find_interpreters
    from dpkb.runner.session import open_session
    from dpkb.runner.trust import require_trust
    from dpkb.runner.verify import reproduce

    if fixed and script:
        raise UsageError("--fixed and --script both choose a script: use one of them")
    catalogue = load_catalogue(kb)
    name = script or ("fixed" if fixed else "broken")
    reproducer = catalogue.load_reproducer(entry_id, name)
    require_trust(reproducer, catalogue.folders, trust, ask, print_note)
    (interpreter,) = find_interpreters(python, [torch] if torch else [], print_note)
    with open_session(interpreter, device, timeout) as session:
        warn_unconfined([reproducer], session)
        live = None if as_json else output.LiveOutput()
        if live:
            print(output.render_repro_start(reproducer, session.environment))
        try:
            result = reproduce(reproducer, session, live.take if live else None)
        finally:  # Ctrl-C too: the last line often says where the script hangs
            if live:
                live.close()
    if as_json:
        print(render_document(output.repro_fields(session.environment, result)))
    else:
        print(output.render_repro(reproducer, session.environment, result))
    return YES if result.verdict is Verdict.CONFIRMED else NO
