"""`dpkb doctor`: the failures that this machine makes likely, without a run."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from dpkb.cli.app import NO, YES, Json, app, require_finite


@app.command()
def doctor(
    workers: Annotated[
        int | None,
        typer.Option(metavar="N", min=0, help="The DataLoader workers of all ranks on this machine."),
    ] = None,
    batch_mb: Annotated[
        float | None,
        typer.Option(metavar="MB", min=0, callback=require_finite, help="The size of a batch in memory."),
    ] = None,
    tensors: Annotated[int | None, typer.Option(metavar="N", min=1, help="How many tensors a batch has.")] = (
        None
    ),
    worker_mb: Annotated[
        float | None,
        typer.Option(
            metavar="MB", min=0, callback=require_finite, help="The memory that a worker needs for itself."
        ),
    ] = None,
    report_file: Annotated[
        Path | None,
        typer.Option(
            "--audit", metavar="FILE", help="Take these numbers from the report of dpkb audit --json FILE."
        ),
    ] = None,
    python: Annotated[
        str | None, typer.Option(metavar="PATH", help="The Python whose torch counts; by default this one.")
    ] = None,
    as_json: Json = False,
) -> int:
    """Show the failures that this machine makes likely."""
    from dpkb.audit.doctor import Plan, advise, read_plan
    from dpkb.audit.machine import read_machine
    from dpkb.output.doctor import doctor_fields, render_doctor
    from dpkb.output.documents import render_document
    from dpkb.output.terminal import count_columns
    from dpkb.runner.interpreter import probe

    seen = read_plan(report_file) if report_file else Plan()
    given = {
        "workers": workers,
        "batch_bytes": _convert_to_bytes(batch_mb),
        "worker_bytes": _convert_to_bytes(worker_mb),
        "tensors": tensors,
    }
    plan = replace(seen, **{name: value for name, value in given.items() if value is not None})
    environment = probe(python, "cpu")
    machine = read_machine(environment.python, environment.torch)
    advice = advise(machine, plan)
    if as_json:
        print(render_document(doctor_fields(machine, plan, advice)))
    else:
        print(render_doctor(machine, advice, count_columns()))
    return NO if any(line.likely for line in advice) else YES


def _convert_to_bytes(megabytes: float | None) -> int | None:
    return None if megabytes is None else int(megabytes * (1 << 20))
