"""`dpkb mcp` as a process: its standard output, its end, and that no process is left."""

import json
import secrets
import signal
import subprocess
import sys
import threading

import pytest
from support.waiting import WAITS, find_processes, wait_until

HELLO = [
    {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "initialize",
        "params": {
            "protocolVersion": "2025-06-18",
            "capabilities": {},
            "clientInfo": {"name": "test", "version": "1"},
        },
    },
    {"jsonrpc": "2.0", "method": "notifications/initialized"},
]


@pytest.fixture
def raw(tmp_path):
    """A server without the SDK's client: raw(message, ...) sends them after the greeting."""
    started = []

    def start(*messages, cwd=tmp_path):
        server = subprocess.Popen(
            [sys.executable, "-m", "dpkb", "mcp", "--allow-running"],
            cwd=cwd,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=(tmp_path / "log").open("w"),
        )
        started.append(server)
        server.stdin.write("".join(json.dumps(message) + "\n" for message in [*HELLO, *messages]).encode())
        server.stdin.flush()
        return server

    yield start
    for server in started:
        server.kill()
        server.wait()


def call_of(tool, number=2, **arguments):
    return {
        "jsonrpc": "2.0",
        "id": number,
        "method": "tools/call",
        "params": {"name": tool, "arguments": arguments},
    }


def test_standard_output_has_only_the_protocol(raw):
    noisy = "echo noise; echo noise >&2; echo noise > /dev/tty" if sys.stdin.isatty() else "echo noise"
    server = raw(call_of("audit", command=["sh", "-c", noisy]), call_of("nothing", 3), {"no": "protocol"})
    lines = []
    listener = threading.Thread(target=lambda: lines.extend(iter(server.stdout.readline, b"")), daemon=True)
    listener.start()
    wait_until(lambda: any(json.loads(line).get("id") == 2 for line in list(lines)))
    server.stdin.close()
    assert server.wait(20) == 0
    listener.join(20)
    assert all(json.loads(line)["jsonrpc"] == "2.0" for line in lines)


LOG = "RuntimeError: DataLoader worker (pid 3) is killed by signal: Bus error. "


def test_half_a_character_leaves_no_request_without_an_answer(raw, tmp_path):
    folder = tmp_path / "\udcff"
    folder.mkdir()
    texts = [LOG + "\ud800", LOG + "\ud83d\ude00 \udcff", LOG + r"\ud800 \\ud800"]
    calls = [call_of("diagnose", 2 + n, text=text) for n, text in enumerate(texts)]
    server = raw(
        *calls,
        call_of("diagnose", 5, path=str(tmp_path)),  # the answer names the folder of the server
        call_of("show", 6, id="\ud800"),
        call_of("\udfff", 7),
        {"jsonrpc": "2.0", "id": "\udfff", "method": "tools/list"},
        cwd=folder,
    )
    answers = {}
    while len(answers) < 8:
        answer = json.loads(server.stdout.readline())
        answers[answer["id"]] = answer
    for number in (2, 3, 4):
        assert "DP15" in answers[number]["result"]["content"][0]["text"]
    assert answers[5]["result"]["isError"] and answers[6]["result"]["isError"] and answers["?"]["result"]
    server.stdin.close()
    assert server.wait(20) == 0


@pytest.mark.parametrize("ending", ["end of input", "SIGTERM", "SIGKILL", "client gone"])
def test_a_server_that_ends_leaves_no_process(raw, tmp_path, ending):
    mark = secrets.token_hex(8)
    (tmp_path / "waits.py").write_text(WAITS)
    server = raw(call_of("audit", command=[sys.executable, "waits.py", mark]))
    wait_until(lambda: len(find_processes(mark)) >= 3)  # the program, its child, dpkb audit
    if ending.startswith("SIG"):
        server.send_signal(getattr(signal, ending))
    if ending == "client gone":
        server.stdout.close()
        server.stdin.write((json.dumps(call_of("search", 3, query="nan")) + "\n").encode())
    if not ending.startswith("SIG"):
        server.stdin.close()
    assert server.wait(30) == {"SIGTERM": 130, "SIGKILL": -9}.get(ending, 0)
    wait_until(lambda: not find_processes(mark), 10)
    assert "Traceback" not in (tmp_path / "log").read_text()


def test_without_the_sdk_it_says_what_to_install(tmp_path):
    code = "import sys; sys.modules['mcp'] = None; from dpkb.cli.main import main; main()"
    done = subprocess.run(
        [sys.executable, "-c", code, "mcp"], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 2 and "pip install 'dpkb[mcp]'" in done.stderr and not done.stdout
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("options", [["--folder", "missing"], ["--kb", "missing"], ["--python", "missing"]])
def test_wrong_options_are_usage_errors(dpkb, options):
    done = dpkb("mcp", *options)
    assert done.returncode == 2 and "missing" in done.stderr and "Traceback" not in done.stderr
