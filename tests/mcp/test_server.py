"""`dpkb mcp` as a client sees it: the SDK's own client, and servers that are real processes."""

import contextlib
import json
import os
import secrets
import signal
import sys
from functools import partial
from pathlib import Path

import psutil
import pytest
from anyio.from_thread import start_blocking_portal
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.shared.exceptions import MCPError
from support import ROOT, write_catalogue
from support.audit_journal import FINDS_DP1
from support.lint_file import LIST_OF_LAYERS
from support.waiting import WAITS, find_processes, wait_until

BUS_ERROR = "RuntimeError: DataLoader worker (pid 3) is killed by signal: Bus error."
READING = {"diagnose", "search", "show", "lint", "versions", "matrix"}


class Session:
    """A client and its server. call(tool, ...): the document; error(tool, ...): the message of a failure."""

    def __init__(self, portal, client):
        self._portal, self.client = portal, client

    def wait_for(self, function, *arguments):
        return self._portal.call(function, *arguments)

    def start(self, tool, **arguments):
        return self._portal.start_task_soon(partial(self.client.call_tool, tool, arguments))

    def call(self, tool, **arguments):
        text, failed = self._answer(tool, arguments)
        assert not failed, text
        return json.loads(text)

    def error(self, tool, **arguments):
        text, failed = self._answer(tool, arguments)
        assert failed and "Traceback" not in text and "\n" not in text, text
        return text

    def _answer(self, tool, arguments):
        result = self.start(tool, **arguments).result(timeout=300)
        (content,) = result.content
        return content.text, result.is_error


@contextlib.contextmanager
def serving(folder, *options, command=(sys.executable, "-m", "dpkb", "mcp"), log=sys.__stderr__):
    server = StdioServerParameters(
        command=command[0], args=[*command[1:], *map(str, options)], cwd=folder, env=dict(os.environ)
    )
    with (
        start_blocking_portal() as portal,
        portal.wrap_async_context_manager(Client(stdio_client(server, errlog=log))) as client,
    ):
        yield Session(portal, client)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """What an agent works on: two modules, a log, and links that lead out."""
    here, outside = tmp_path_factory.mktemp("project"), tmp_path_factory.mktemp("outside")
    for place in (here, outside):
        (place / "net.py").write_text(LIST_OF_LAYERS)
        (place / "train.log").write_text(f"epoch 1\n{BUS_ERROR}\n")
    (here / "away").symlink_to(outside)
    (here / "away.log").symlink_to(outside / "train.log")
    (here / "pipe").mkdir()
    os.mkfifo(here / "pipe" / "train.log")
    return here


@pytest.fixture(scope="module")
def reader(folder):
    """A server that may not run anything."""
    with serving(folder) as session:
        yield session


@pytest.fixture(scope="module")
def runner(tmp_path_factory):
    """A server that may run programs, with an added catalogue whose script waits."""
    here = tmp_path_factory.mktemp("runs")
    added = write_catalogue(here / "added", broken=WAITS.replace("sys.argv[-1]", repr(MARK)))
    (here / "waits.py").write_text(WAITS)
    with serving(here, "--allow-running", "--trust", "--kb", added) as session:
        session.folder = here
        yield session


MARK = secrets.token_hex(8)


def from_command_line(document):
    return {key: value for key, value in document.items() if key != "page"}


# -- what an agent chooses by -----------------------------------------------------------------------


def test_there_are_few_tools_with_short_descriptions(reader):
    tools = {tool.name: tool for tool in reader.wait_for(reader.client.list_tools).tools}
    assert set(tools) == READING | {"audit", "reproduce"}
    for name, tool in tools.items():
        assert tool.description and len(tool.description) <= 250 and "  " not in tool.description
        assert tool.annotations.read_only_hint == (name in READING)
        assert tool.output_schema["required"], name
        for parameter, schema in tool.input_schema["properties"].items():
            assert schema.get("description"), (name, parameter)
    assert "allow-running" in tools["audit"].description


def test_a_person_can_choose_what_the_agent_does(reader):
    prompts = reader.wait_for(reader.client.list_prompts).prompts
    assert [prompt.name for prompt in prompts] == ["why", "review"]
    tools = {tool.name for tool in reader.wait_for(reader.client.list_tools).tools}
    for prompt in prompts:
        assert prompt.description and not prompt.arguments
        (message,) = reader.wait_for(reader.client.get_prompt, prompt.name).messages
        assert message.role == "user" and "dpkb" in message.content.text
        # Each names tools that there are.
        assert len(tools & set(message.content.text.replace(",", " ").split())) >= 1


# -- reading ----------------------------------------------------------------------------------------


def test_versions_answers_as_the_command_does_and_stays_in_its_folder(reader, folder, dpkb_in_process):
    expected = json.loads(dpkb_in_process("versions", folder / "net.py", "--json").stdout)
    answer = from_command_line(reader.call("versions", paths=["net.py"]))
    named = json.dumps(answer).replace("net.py", str(folder / "net.py"))
    assert json.loads(named) == expected and expected["packages"]
    whole = reader.call("versions")
    assert "outside" in whole["unreadable"]["away"]
    assert "outside" in reader.error("versions", paths=["away/net.py"])


def test_diagnose_answers_as_the_command_does(reader, folder, dpkb_in_process):
    expected = json.loads(dpkb_in_process("diagnose", folder / "train.log", "--json").stdout)
    by_path = reader.call("diagnose", path="train.log")
    assert from_command_line(by_path) == expected and expected["matches"][0]["id"] == "DP15"
    assert reader.call("diagnose", text=(folder / "train.log").read_text()) == by_path
    assert reader.call("diagnose", text="all is well")["matches"] == []
    for both in ({}, {"text": "x", "path": "train.log"}):
        assert "either" in reader.error("diagnose", **both)


def test_search_answers_as_the_command_does(reader, dpkb_in_process):
    expected = json.loads(dpkb_in_process("search", "loss is nan", "-n", "7", "--json").stdout)
    answer = from_command_line(reader.call("search", query="loss is nan", limit=7))
    # Of why an entry matched, one line is enough for an agent; and the summary, which saves a call.
    for hit, same in zip(answer["hits"], expected["hits"], strict=True):
        assert hit.keys() == {"id", "title", "kind", "summary", "matched"}
        assert (hit["id"], hit["title"], hit["kind"]) == (same["id"], same["title"], same["kind"])
    assert {**answer, "hits": 0} == {**expected, "hits": 0}


@pytest.mark.parametrize("query", ["bus error", BUS_ERROR * 40, "训练 损失 nan 不下降", "loss is nan"])
def test_a_search_is_short_and_structured(reader, query):
    result = reader.start("search", query=query).result(timeout=300)
    assert len(result.content[0].text) <= 4000
    assert result.structured_content == json.loads(result.content[0].text)


def test_pages_follow_one_another(reader):
    """Every hit once, in order, whatever the size of a page."""

    def hits(limit):
        offset = 0
        while offset is not None:
            answer = reader.call("search", query="loss is nan", offset=offset, limit=limit)
            assert len(answer["hits"]) <= limit
            yield from (hit["id"] for hit in answer["hits"])
            offset = answer["page"]["next_offset"]

    ids = list(hits(100))
    assert list(hits(3)) == ids and len(ids) > 6
    assert reader.call("search", query="loss is nan", offset=10_000)["hits"] == []


def test_show_returns_the_answer_a_section_all_sections_or_a_family(reader, dpkb_in_process):
    whole = json.loads(dpkb_in_process("show", "DP15", "--json").stdout)
    brief = reader.call("show", id="dp15")
    assert brief["sections"] == {"In short": whole["sections"]["In short"]}
    assert brief["title"] == whole["title"] and brief["seen"] == whole["seen"]
    assert set(brief["sections"]) | set(brief["other_sections"]) == set(whole["sections"])
    assert len(json.dumps(brief)) < len(json.dumps(whole)) / 3
    assert reader.call("show", id="DP15", section="fix")["sections"] == {"Fix": whole["sections"]["Fix"]}
    assert from_command_line(reader.call("show", id="DP15", section="all")) == whole
    family = reader.call("show", id="DP", limit=3)
    assert family["family"] == "DP" and len(family["entries"]) == 3 and family["page"]["next_offset"] == 3


def test_an_unknown_id_offers_near_ones(reader, dpkb_in_process):
    message = dpkb_in_process("show", "DP51").stderr.splitlines()[-1].removeprefix("dpkb: ")
    assert message in reader.error("show", id="DP51") and "DP15" in message
    assert "DP15" in reader.error("matrix", ids=["DP51"]) and "DP15" in reader.error("reproduce", id="DP51")
    assert "In short, " in reader.error("show", id="DP15", section="cause")
    with pytest.raises(MCPError, match="DP15"):
        reader.wait_for(reader.client.read_resource, "dpkb://entry/DP51")


def test_lint_answers_as_the_command_does(reader, folder, dpkb_in_process):
    expected = json.loads(dpkb_in_process("lint", "net.py", "--json", cwd=folder).stdout)
    assert from_command_line(reader.call("lint", paths=["net.py"])) == expected
    assert [finding["id"] for finding in expected["findings"]] == ["N3"]


def test_matrix_answers_as_the_command_does(reader, dpkb_in_process):
    expected = json.loads(dpkb_in_process("matrix", "--json").stdout)
    answer = reader.call("matrix", ids=["DP1", "dp7"])
    assert answer["environments"] == expected["environments"]
    assert answer["entries"] == {entry: expected["entries"][entry] for entry in ("DP1", "DP7")}
    assert reader.call("matrix", limit=2)["page"]["next_offset"] == 2


def test_entries_are_resources(reader):
    listed = reader.wait_for(reader.client.list_resources).resources
    assert "dpkb://entry/DP1" in {str(resource.uri) for resource in listed}
    (content,) = reader.wait_for(reader.client.read_resource, "dpkb://entry/DP1").contents
    (page,) = (ROOT / "kb").glob("dp1_*.md")
    assert content.text == page.read_text() and content.mime_type == "text/markdown"


@pytest.mark.parametrize("path", ["../outside0/train.log", "away/train.log", "away.log", "/etc/hostname"])
def test_no_path_leads_out_of_the_folder(reader, path):
    assert "outside of" in reader.error("diagnose", path=path)
    assert "outside of" in reader.error("lint", paths=[path])


def test_lint_does_not_follow_links_out_of_the_folder(reader):
    answer = reader.call("lint", paths=["."])
    assert {finding["where"]["file"] for finding in answer["findings"]} == {"net.py"}
    assert list(answer["unreadable"]) == ["away"] and "outside of" in answer["unreadable"]["away"]


@pytest.mark.parametrize("path", ["missing.log", "pipe/train.log", "pipe", "a\0b"])
def test_a_path_that_is_not_a_log_is_refused(reader, path):
    assert "Errno" not in reader.error("diagnose", path=path)


def test_wrong_arguments_are_named(reader):
    result = reader.start("show", id=["DP1"]).result()
    text = result.content[0].text
    assert result.is_error and "\nid\n  Input should be a valid string" in text and "Traceback" not in text


@pytest.mark.slow
def test_a_long_log_does_not_fill_memory(folder):
    log = folder / "long.log"
    try:
        with log.open("wb") as file:
            file.seek(200 << 20)
            file.write(f"\n{BUS_ERROR}\n".encode())
        others = set(psutil.Process().children())
        with serving(folder) as session:
            (server,) = set(psutil.Process().children()) - others
            assert session.call("diagnose", path="long.log")["matches"][0]["id"] == "DP15"
            peak = next(
                line
                for line in Path(f"/proc/{server.pid}/status").read_text().splitlines()
                if line.startswith("VmHWM")
            )
        # Without a log the server has about 100 MB.
        assert int(peak.split()[1]) < 200 << 10, peak
    finally:
        log.unlink()


# -- running ----------------------------------------------------------------------------------------


def test_nothing_runs_without_permission(reader, folder):
    refused = {
        "dpkb audit -- touch": reader.error("audit", command=["touch", str(folder / "ran")]),
        "dpkb repro DP7": reader.error("reproduce", id="DP7"),
    }
    for instead, answer in refused.items():
        assert "--allow-running" in answer and instead in answer
    assert not (folder / "ran").exists()


def test_an_added_catalogue_needs_trust(tmp_path):
    added = write_catalogue(tmp_path / "added", broken=f"open({str(tmp_path / 'ran')!r}, 'w')")
    with serving(tmp_path, "--allow-running", "--kb", added) as session:
        assert "--trust" in session.error("reproduce", id="ZZ1")
    assert not (tmp_path / "ran").exists()


def test_a_command_that_cannot_be_audited_is_an_error(runner):
    assert "command not found" in runner.error("audit", command=["no-such-command"])
    assert "is empty" in runner.error("audit", command=[])
    assert "--ignore ZZ9: no entry has this id" in runner.error("audit", command=["true"], ignore=["ZZ9"])


def test_audit_runs_in_the_folder_and_shows_the_last_output(runner):
    (runner.folder / "json.py").write_text("raise ImportError('of the folder, not of dpkb')")
    answer = runner.call("audit", command=["sh", "-c", "pwd; yes | head -c 100000; echo end >&2; exit 3"])
    assert answer["exit_code"] == 3 and answer["findings"] == [] and answer["version"] == 1
    assert answer["output"].endswith("y\nend\n") and len(answer["output"]) <= 4000
    assert runner.call("audit", command=["pwd"])["output"].strip() == str(runner.folder)
    (runner.folder / "json.py").unlink()


def test_audit_ends_a_program_that_takes_too_long(runner):
    mark = secrets.token_hex(8)
    answer = runner.call("audit", command=[sys.executable, "waits.py", mark], seconds=4)
    assert answer["ended_after_seconds"] == 4 and answer["exit_code"] == -signal.SIGTERM
    assert find_processes(mark) == []


@pytest.mark.parametrize("tool", ["audit", "reproduce"])
def test_a_cancelled_call_leaves_no_process(runner, tool):
    arguments = {"command": [sys.executable, "waits.py", MARK]} if tool == "audit" else {"id": "ZZ1"}
    call = runner.start(tool, **arguments)
    wait_until(lambda: find_processes(MARK))
    call.cancel()
    wait_until(lambda: not find_processes(MARK), 20)
    assert runner.call("search", query="bus error")["hits"], "the server goes on"


def test_two_calls_run_at_once(runner):
    """Each waits for the other, and a third is answered meanwhile."""
    waits = "touch {0}; while ! test -e {1} || ! test -e go; do sleep 0.05; done"
    calls = [
        runner.start("audit", command=["sh", "-c", waits.format(*names)])
        for names in (("one", "two"), ("two", "one"))
    ]
    assert runner.call("show", id="DP1")["id"] == "DP1"
    (runner.folder / "go").touch()
    for call in calls:
        assert json.loads(call.result(timeout=120).content[0].text)["exit_code"] == 0


def test_reproduce_judges_a_script(runner):
    result = runner.call("reproduce", id="zz1", script="fixed")
    assert (result["outcome"], result["verdict"]) == ("healthy", "confirmed")
    assert "broken, fixed" in runner.error("reproduce", id="DP7", script="nothing")


def test_audit_names_a_failure(runner):
    (runner.folder / "finds.py").write_text(FINDS_DP1)
    answer = runner.call("audit", command=[sys.executable, "finds.py"], steps=0)
    assert [finding["id"] for finding in answer["findings"]] == ["DP1"]
    assert len(answer["processes"]) == 1 and "DP1" in answer["watched"]
