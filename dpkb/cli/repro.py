"""`dpkb repro`: run one script of an entry: the failure, or the fix."""

from __future__ import annotations

from dataclasses import dataclass
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
    take_options_from,
    warn_unconfined,
)
from dpkb.errors import UsageError


@dataclass(frozen=True)
class ReproOptions:
    """The options of `dpkb repro`."""

    entry_id: Id
    fixed: Annotated[bool, typer.Option("--fixed", help="Run the fix instead of the failure.")] = False
    script: Annotated[str | None, typer.Option(metavar="NAME", help="Run this script of the entry.")] = None
    python: Python = None
    torch: OneTorch = None
    device: Device = "auto"
    timeout: Timeout = 120
    trust: Trust = False
    as_json: Json = False
    kb: Kb = None


@app.command()
@take_options_from(ReproOptions)
def repro(options: ReproOptions) -> int:
    """Run the failure of an entry on this machine, or its fix."""
    from dpkb.judge.summary import ReproReport
    from dpkb.output import repro as output
    from dpkb.output.documents import render_document
    from dpkb.run_records import Verdict
    from dpkb.runner.interpreter import find_interpreters
    from dpkb.runner.session import open_session
    from dpkb.runner.trust import require_trust
    from dpkb.runner.verify import reproduce

    if options.fixed and options.script:
        raise UsageError("--fixed and --script both choose a script: use one of them")
    catalogue = load_catalogue(options.kb)
    name = options.script or ("fixed" if options.fixed else "broken")
    script = catalogue.load_reproducer(options.entry_id, name)
    require_trust(script, catalogue.folders, options.trust, ask, print_note)
    (python,) = find_interpreters(options.python, [options.torch] if options.torch else [], print_note)
    with open_session(python, options.device, options.timeout) as session:
        warn_unconfined([script], session)
        live = None if options.as_json else output.LiveOutput()
        if live:
            print(output.render_repro_start(script, session.environment))
        try:
            result = reproduce(script, session, live.take if live else None)
        finally:  # Ctrl-C too: the last line often says where the script hangs
            if live:
                live.close()
    report = ReproReport(script, session.environment, result)
    if options.as_json:
        print(render_document(output.repro_fields(report)))
    else:
        print(output.render_repro(report))
    return YES if result.verdict is Verdict.CONFIRMED else NO
