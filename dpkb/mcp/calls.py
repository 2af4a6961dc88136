"""The calls that a server is answering, each in a thread, and how they end."""

from __future__ import annotations

import json
import os
import signal
import threading
from collections.abc import Callable

import anyio
import anyio.to_thread
from mcp.server.mcpserver.exceptions import ToolError
from mcp.types import CallToolResult, TextContent

from dpkb.errors import DpkbError, ExitCode
from dpkb.text import escape_controls

# Calls may take this long to end their processes after a signal to the server.
_END_SECONDS = 15.0


class Calls:
    """The running calls, each in a thread, by the events that stop them."""

    def __init__(self) -> None:
        self.running: set[threading.Event] = set()

    async def run(self, answer: Callable[[threading.Event], str]) -> CallToolResult:
        """Compute an answer in a thread; it is sent as text and as structured content. If the call is cancelled, set its event and wait for its end."""
        stop, result, failure = threading.Event(), "", None
        self.running.add(stop)

        async def set_stop_when_cancelled() -> None:
            try:
                await anyio.sleep_forever()
            finally:
                stop.set()

        try:
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(set_stop_when_cancelled)
                try:
                    result = await anyio.to_thread.run_sync(answer, stop)
                except DpkbError as error:
                    failure = escape_controls(str(error))  # a path may be no UTF-8
                finally:
                    tasks.cancel_scope.cancel()
        finally:
            self.running.discard(stop)
        if failure is not None:
            raise ToolError(failure)
        return CallToolResult(
            content=[TextContent(type="text", text=result)], structured_content=json.loads(result)
        )

    async def end_on_signals(self) -> None:
        """After a signal, stop the calls, then exit. (Nothing can wake the thread that reads stdin.)"""
        with anyio.open_signal_receiver(signal.SIGINT, signal.SIGTERM, signal.SIGHUP) as signals:
            async for _ in signals:
                for stop in tuple(self.running):
                    stop.set()
                with anyio.move_on_after(_END_SECONDS):
                    while self.running:
                        await anyio.sleep(0.02)
                os._exit(ExitCode.INTERRUPTED)
