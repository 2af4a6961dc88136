"""`dpkb mcp`: a server for coding agents."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Annotated

import typer

from dpkb.cli.app import YES, Kb, Python, Trust, app, load_catalogue, print_note
from dpkb.errors import UnmetNeed, UsageError


@app.command()
def mcp(
    folder: Annotated[
        Path, typer.Option(metavar="DIR", help="Where programs run. Paths outside of it are refused.")
    ] = Path(),
    allow_running: Annotated[
        bool, typer.Option("--allow-running", help="Let the agent run programs: audit and reproduce.")
    ] = False,
    python: Python = None,
    trust: Trust = False,
    kb: Kb = None,
) -> int:
    """Serve coding agents (Model Context Protocol).

    A client starts it, and talks to it over standard input and output:

    {"mcpServers": {"dpkb": {"command": "dpkb", "args": ["mcp"]}}}

    Without --allow-running it only reads. It needs: pip install 'dpkb[mcp]'
    """
    try:
        from dpkb.mcp.server import serve
    except ModuleNotFoundError as error:
        if (error.name or "").split(".")[0] in ("dpkb", "typer"):
            raise
        raise UnmetNeed(
            "this command needs the Python package of the protocol: pip install 'dpkb[mcp]'"
        ) from None
    from dpkb.mcp.tools import Tools
    from dpkb.runner.interpreter import find_interpreter

    # Relative paths start here, and not in the folder of the server.
    kb, python = [path.resolve() for path in kb or ()], python and find_interpreter(python)
    try:
        os.chdir(folder)
    except OSError as error:
        raise UsageError(f"--folder {folder}: cannot be used: {error.strerror}") from None
    load_catalogue(kb)  # reports a wrong --kb now
    if sys.stdin.isatty():
        print_note("waiting for a client of the Model Context Protocol; Ctrl-C ends the server")
    serve(Tools(tuple(kb), python, allow_running, trust))
    return YES
