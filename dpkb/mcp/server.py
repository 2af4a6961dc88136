"""The server: offers the tools and entries over standard input and output, with the official SDK."""

from __future__ import annotations

import contextlib
import io
import json
import os
import re
import sys
from inspect import getdoc
from typing import Annotated, Any

import anyio
import anyio.to_thread
from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.exceptions import ResourceNotFoundError
from mcp.server.mcpserver.prompts import Prompt
from mcp.types import CallToolResult, Resource, ToolAnnotations
from pydantic import Field, create_model

from dpkb import __version__
from dpkb.errors import DpkbError
from dpkb.mcp.calls import Calls
from dpkb.mcp.tools import Tools

_INSTRUCTIONS = """\
dpkb explains failures of PyTorch training; scripts have reproduced every entry.
- A run failed, hung or was killed: diagnose its log.
- Nothing failed, but the numbers look wrong: audit the training program.
- You change or review training code: lint it.
Then show the id that was named: cause, check and fix. If nothing is named, show the entry that says what to \
collect: Q1 (it hangs), Q2 (nan or inf), Q3 (memory grows), Q4 (a DataLoader worker dies), Q5 (CUDA assert).
A finding is certain, likely (wrong in most programs) or a hint. No finding means that no entry fits, \
not that the program is right. Long answers come in pages: call again with offset = page.next_offset."""
# What a person may choose in a client, such as /why: the name, what it is for, and what it says to the agent.
_PROMPTS = (
    (
        "why",
        "Find out why the last training run failed, hung or gave wrong numbers",
        "Find out with dpkb why the last training run went wrong: diagnose its log; without one, or if nothing "
        "failed, audit the program. Show the entry that was named, and run its check before you change code.",
    ),
    (
        "review",
        "Review the training code of this folder",
        "Review the training code of this folder with dpkb: lint it, and find the versions that it needs. Quote "
        "each finding with its line, read its entry, and propose its fix. Change nothing yet.",
    ),
)
_READS = ToolAnnotations(read_only_hint=True, open_world_hint=False)
_RUNS = ToolAnnotations(read_only_hint=False, destructive_hint=True, open_world_hint=True)

# What each tool answers: fields that a program may rely on. There are more.
_Page = create_model(
    "Page", of=(str, ...), offset=(int, ...), total=(int, ...), next_offset=(int | None, ...)
)
_Found = create_model(
    "Found",
    query=(str, ...),
    weak=(bool, ...),
    unclear=(bool, ...),
    hits=(list[dict[str, Any]], ...),
    page=(_Page, ...),
)
_Diagnosis = create_model("Diagnosis", matches=(list[dict[str, Any]], ...), page=(_Page, ...))
_Entry = create_model("Entry", id=(str | None, None), page=(_Page, ...))
_Findings = create_model("Findings", findings=(list[dict[str, Any]], ...), page=(_Page, ...))
_Needed = create_model(
    "Needed", packages=(list[dict[str, Any]], ...), requirements=(list[str], ...), page=(_Page, ...)
)
_Matrix = create_model("Matrix", entries=(dict[str, Any], ...), page=(_Page, ...))
_Run = create_model("Run", verdict=(str, ...))

Offset = Annotated[int, Field(ge=0, description="page.next_offset of the answer before")]
Limit = Annotated[int, Field(ge=1, le=100, description="most items in this answer")]
Id = Annotated[str, Field(description="id of an entry, such as DP15")]


# The JSON escape of half a character. Logs that are no UTF-8 have such halves, after errors="surrogateescape".
_SURROGATE = re.compile(rb"\\u[dD][89a-fA-F]")


class _Input(io.BufferedReader):
    """Standard input with "?" in place of halves of characters: the SDK ignores a request that has one."""

    def read1(self, _: int = -1) -> bytes:
        """The next line; empty at the end."""
        line = self.readline()
        if _SURROGATE.search(line):
            with contextlib.suppress(ValueError, RecursionError):
                text = json.dumps(json.loads(line), ensure_ascii=False)
                return text.encode("utf-8", "replace") + b"\n"
        return line


class _Server(MCPServer[None]):
    """The SDK's server, which reads the entries again each time that a client lists them."""

    def __init__(self, tools: Tools) -> None:
        super().__init__("dpkb", instructions=_INSTRUCTIONS, version=__version__, log_level="ERROR")
        self._list_entries = tools.list_entries

    async def list_resources(self) -> list[Resource]:
        """Every entry."""
        entries = await anyio.to_thread.run_sync(self._list_entries)
        return [
            Resource(
                uri=f"dpkb://entry/{entry_id}",
                name=entry_id,
                title=title,
                description=summary,
                mime_type="text/markdown",
            )
            for entry_id, title, summary in entries
        ]


class _ToolFunctions:
    """The tools. Agents read these signatures and docstrings to choose a tool."""

    def __init__(self, tools: Tools, calls: Calls) -> None:
        self._tools, self._calls = tools, calls

    async def diagnose(
        self,
        text: Annotated[str | None, Field(description="the log, or its end")] = None,
        path: Annotated[
            str | None,
            Field(description="a log file of any size, or the folder of a job's logs or stack dumps"),
        ] = None,
        pid: Annotated[int | None, Field(description="a process that hangs: its stacks are taken")] = None,
        offset: Offset = 0,
        limit: Limit = 5,
    ) -> Annotated[CallToolResult, _Diagnosis]:
        """Find what explains the log or traceback of a PyTorch run that failed, hung or was killed.

        Names entries with the lines that match, hints from its losses and memory, and what to collect next.
        """
        return await self._calls.run(lambda stop: self._tools.diagnose(stop, text, path, offset, limit, pid))

    async def search(
        self,
        query: Annotated[str, Field(description="an error message, or a symptom in your own words")],
        offset: Offset = 0,
        limit: Limit = 5,
    ) -> Annotated[CallToolResult, _Found]:
        """Find entries for an error message or a symptom, when there is no log.

        "weak": true in the answer means that nothing fits well.
        """
        return await self._calls.run(lambda _: self._tools.search(query, offset, limit))

    async def show(
        self,
        id: Id,
        section: Annotated[str, Field(description='"In short", "all", or a heading')] = "In short",
        offset: Offset = 0,
        limit: Limit = 20,
    ) -> Annotated[CallToolResult, _Entry]:
        """Read an entry that was named: cause, check and fix. Or the overview of a family, such as DP."""
        return await self._calls.run(lambda _: self._tools.show(id, section, offset, limit))

    async def lint(
        self,
        paths: Annotated[list[str], Field(description="Python files, notebooks, folders")] = ["."],  # noqa: B006
        hints: Annotated[bool, Field(description="also what is only worth a look")] = False,
        offset: Offset = 0,
        limit: Limit = 20,
    ) -> Annotated[CallToolResult, _Findings]:
        """Find failures in PyTorch code without running it: file, line, certainty and fix."""
        return await self._calls.run(lambda stop: self._tools.lint(stop, paths, hints, offset, limit))

    async def versions(
        self,
        paths: Annotated[list[str], Field(description="Python files, notebooks, folders")] = ["."],  # noqa: B006
        offset: Offset = 0,
        limit: Limit = 20,
    ) -> Annotated[CallToolResult, _Needed]:
        """Find which releases of its libraries code needs, and what the installed ones break, line by line."""
        return await self._calls.run(lambda stop: self._tools.versions(stop, paths, offset, limit))

    async def matrix(
        self,
        ids: Annotated[list[str], Field(description="only these entries")] = [],  # noqa: B006
        offset: Offset = 0,
        limit: Limit = 20,
    ) -> Annotated[CallToolResult, _Matrix]:
        """Show which torch versions have the failure of an entry, by recorded runs of its scripts."""
        return await self._calls.run(lambda _: self._tools.matrix(ids, offset, limit))

    async def audit(
        self,
        command: Annotated[list[str], Field(description='such as ["python", "train.py"]; no shell')],
        steps: Annotated[int, Field(ge=0, description="end it after this many optimizer steps; 0: no")] = 200,
        seconds: Annotated[float, Field(gt=0, description="end it after this many seconds")] = 600,
        ignore: Annotated[list[str], Field(description="leave out these entries")] = [],  # noqa: B006
    ) -> Annotated[CallToolResult, _Findings]:
        """Run a training program unchanged, and name the failures that it really has, with numbers and lines.

        For wrong numbers without an error. Needs a server that was started with --allow-running.
        """
        return await self._calls.run(lambda stop: self._tools.audit(stop, command, steps, seconds, ignore))

    async def reproduce(
        self,
        id: Id,
        script: Annotated[str, Field(description='"broken" shows the failure, "fixed" the fix')] = "broken",
    ) -> Annotated[CallToolResult, _Run]:
        """Run one script of an entry on this machine (seconds to a minute), and judge it against its claim.

        Needs a server that was started with --allow-running.
        """
        return await self._calls.run(lambda stop: self._tools.reproduce(stop, id, script))


def create(tools: Tools, calls: Calls) -> MCPServer[None]:
    """Create the server with its tools and entries."""
    server = _Server(tools)
    functions = _ToolFunctions(tools, calls)
    running = (functions.audit, functions.reproduce)
    for tool in (
        functions.diagnose,
        functions.search,
        functions.show,
        functions.lint,
        functions.versions,
        functions.matrix,
        *running,
    ):
        server.add_tool(
            tool,
            description=getdoc(tool),
            annotations=_RUNS if tool in running else _READS,
        )

    @server.resource(
        "dpkb://entry/{entry_id}",
        name="entry",
        mime_type="text/markdown",
        description="The whole page of an entry, such as dpkb://entry/DP15.",
    )
    async def entry(entry_id: str) -> str:
        try:
            return await anyio.to_thread.run_sync(tools.read_entry, entry_id)
        except DpkbError as error:
            raise ResourceNotFoundError(str(error)) from None

    for name, asked, text in _PROMPTS:
        server.add_prompt(
            Prompt(
                name=name,
                title=asked,
                description=asked,
                arguments=[],
                context_kwarg=None,
                fn=lambda text=text: text,
            )
        )
    return server


def serve(tools: Tools) -> None:
    """Serve until standard input ends."""
    sys.stdin = io.TextIOWrapper(_Input(io.FileIO(os.dup(0))))
    # As the SDK does: programs that tools start must not read the requests of the client.
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    try:
        anyio.run(_serve, tools)
    except Exception as error:
        if not _is_broken_pipe(error):
            raise


def _is_broken_pipe(error: BaseException) -> bool:
    """Whether the client has closed the connection. The SDK wraps this error in exception groups."""
    inner = getattr(error, "exceptions", ())
    return isinstance(error, BrokenPipeError) or (bool(inner) and all(map(_is_broken_pipe, inner)))


async def _serve(tools: Tools) -> None:
    calls = Calls()
    server = create(tools, calls)
    async with anyio.create_task_group() as tasks:
        if os.name == "posix":
            tasks.start_soon(calls.end_on_signals)
        await server.run_stdio_async()
        tasks.cancel_scope.cancel()
