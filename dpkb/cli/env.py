"""`dpkb env`: the environments that --torch installs."""

from __future__ import annotations

from typing import Annotated

import typer

from dpkb.cli.app import YES, Json, app, print_note

environments = typer.Typer(help="The environments that --torch installs.", no_args_is_help=True)
app.add_typer(environments, name="env")


@environments.command(name="list")
def list_environments(as_json: Json = False) -> int:
    """List the environments, with the space that each takes."""
    from dpkb.output.documents import render_document
    from dpkb.output.envs import environments_fields, render_environments
    from dpkb.runner import torch_envs

    installed = torch_envs.list_environments()
    if as_json:
        print(render_document(environments_fields(installed)))
    elif installed:
        print(render_environments(installed))
    else:
        print_note("no environment is installed; `dpkb verify ID --torch VERSION` installs one")
    return YES


@environments.command()
def remove(
    version: Annotated[str, typer.Argument(metavar="VERSION", help="A version that `dpkb env list` shows.")],
) -> int:
    """Remove an environment."""
    from dpkb.output.envs import render_removal
    from dpkb.runner import torch_envs

    print(render_removal(version, torch_envs.remove_environment(version)))
    return YES
