"""Calls of a server: answered in threads, ended when they are cancelled."""

import json
import threading

import anyio
import pytest
from mcp.server.mcpserver.exceptions import ToolError

from dpkb.errors import UsageError
from dpkb.mcp.calls import Calls


def run(task):
    """Run a task with the calls of one server."""
    calls = Calls()
    anyio.run(task, calls)
    assert calls.running == set(), "a call that has ended is forgotten"


def test_the_answer_comes_from_another_thread():
    async def task(calls):
        answer = await calls.run(lambda stop: json.dumps({"name": threading.current_thread().name}))
        assert answer.structured_content["name"] != threading.current_thread().name
        assert json.loads(answer.content[0].text) == answer.structured_content

    run(task)


def test_an_error_of_dpkb_is_a_tool_error_and_a_bug_is_not():
    def mistake(stop):
        raise UsageError("there is no such thing")

    def bug(stop):
        raise ZeroDivisionError

    async def task(calls):
        with pytest.raises(ToolError, match=r"^there is no such thing$"):
            await calls.run(mistake)
        with pytest.RaisesGroup(ZeroDivisionError, flatten_subgroups=True):
            await calls.run(bug)

    run(task)


def test_a_cancelled_call_is_stopped_and_its_end_is_awaited():
    began, ended = threading.Event(), threading.Event()

    def waits(stop):
        began.set()
        assert stop.wait(60)
        ended.set()
        return "{}"

    async def cancel(scope):
        while not began.is_set():
            await anyio.sleep(0.005)
        scope.cancel()

    async def task(calls):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(cancel, tasks.cancel_scope)
            await calls.run(waits)
        assert ended.is_set()

    run(task)


def test_calls_run_at_the_same_time():
    """Each waits for the other."""
    both = threading.Barrier(2, timeout=30)

    async def task(calls):
        async with anyio.create_task_group() as tasks:
            for _ in range(2):
                tasks.start_soon(calls.run, lambda stop: str(both.wait()))

    run(task)
