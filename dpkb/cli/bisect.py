"""`dpkb bisect`: find between which minor releases of torch a script's outcome changed."""

from __future__ import annotations

from typing import Annotated

import typer

from dpkb.cli.app import (
    NO,
    YES,
    Id,
    Json,
    Kb,
    Timeout,
    Trust,
    app,
    ask,
    load_catalogue,
    print_note,
    warn_unconfined,
)
from dpkb.errors import UnusableTorch


@app.command()
def bisect(
    entry_id: Id,
    script: Annotated[
        str, typer.Option(metavar="NAME", help="The script to run with each torch.")
    ] = "broken",
    first: Annotated[str | None, typer.Option(metavar="VERSION", help="The oldest torch to try.")] = None,
    last: Annotated[str | None, typer.Option(metavar="VERSION", help="The newest torch to try.")] = None,
    timeout: Timeout = 120,
    trust: Trust = False,
    as_json: Json = False,
    kb: Kb = None,
) -> int:
    """Find the torch release that changed a script's outcome.

    It tries minor releases only, each in an environment that uv creates. If a run proves nothing, for example
    because it timed out, it tries a release beside that one.
    """
    from dpkb.output.bisect import bisect_fields, render_bisect
    from dpkb.output.documents import render_document
    from dpkb.run_records import Verdict
    from dpkb.runner.bisect import find_change
    from dpkb.runner.session import open_session
    from dpkb.runner.torch_envs import ensure_torch_python
    from dpkb.runner.trust import require_trust
    from dpkb.runner.verify import reproduce

    catalogue = load_catalogue(kb)
    reproducer = catalogue.load_reproducer(entry_id, script)
    require_trust(reproducer, catalogue.folders, trust, ask, print_note)

    def find_outcome(version: str) -> str | None:
        try:
            with open_session(ensure_torch_python(version, print_note), "cpu", timeout) as session:
                warn_unconfined([reproducer], session)
                result = reproduce(reproducer, session)
        except UnusableTorch as error:
            print_note(str(error))
            return None
        print_note(f"torch {session.environment.torch}: {result.outcome.value} ({result.seen})")
        return result.outcome.value if result.verdict in (Verdict.CONFIRMED, Verdict.REFUTED) else None

    change = find_change(find_outcome, first, last)
    if as_json:
        print(render_document(bisect_fields(reproducer, change)))
    else:
        print(render_bisect(reproducer, change))
    return YES if change.after else NO
