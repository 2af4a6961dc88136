"""`dpkb env`: the environments that --torch installs."""

from __future__ import annotations

from typing import Annotated

import typer

from dpkb.cli.app import Json, app, print_note

environments = typer.Typer(help="The environments that --torch installs.", no_args_is_help=True)
app.add_typer(environments, name="env")


@environments.command(name="list")
def list_environments(as_json: Json = False) -> None:
    """List the environments, with the space that each takes."""
    from dpkb.output.documents import render_document
    from dpkb.runner import torch_envs

    environments = torch_envs.list_environments()
    if as_json:
        print(render_document({"environments": [
            {"torch": one.version, "folder": str(one.folder), "bytes": one.size} for one in environments]}))
    elif not environments:
        print_note("there are none: `dpkb verify ID --torch VERSION` installs one")
    for environment in environments if not as_json else ():
        print(f"torch {environment.version:<8} {environment.size / 2**30:5.1f} GB  {environment.folder}")


@environments.command()
def remove(
    version: Annotated[str, typer.Argument(metavar="VERSION", help="As `dpkb env list` names it.")],
) -> None:
    """Remove an environment."""
    from dpkb.runner import torch_envs

    freed = torch_envs.remove(version)
    print(f"removed: {freed / 2**30:.1f} GB freed")
