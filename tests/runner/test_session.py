"""What all runs of one command share: the environment, its variables, and how scripts are confined."""

import signal
import socket
import threading
from dataclasses import replace

import pytest

from dpkb.errors import Stopped, UsageError
from dpkb.model import Needs
from dpkb.runner.session import open_session


def test_a_session_leaves_no_handler_behind():
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    for _ in range(2):
        with open_session(None, "cpu", 10) as session:
            assert signal.getsignal(signal.SIGINT) is not before[signal.SIGINT]
            assert not session.stop.is_set()
    assert {number: signal.getsignal(number) for number in before} == before


def test_scripts_on_the_cpu_see_no_gpu_and_keep_the_other_variables(monkeypatch):
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "0")
    monkeypatch.setenv("A_VARIABLE", "of the user")
    with open_session(None, "cpu", 10) as session:
        assert (session.env["CUDA_VISIBLE_DEVICES"], session.env["A_VARIABLE"]) == ("", "of the user")
        assert (session.limits.seconds, session.fork_server) == (10, None)


def test_an_interpreter_that_keeps_no_bytecode_gets_a_folder_for_it(monkeypatch, tmp_path):
    monkeypatch.setenv("DPKB_CACHE_DIR", str(tmp_path))
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")
    probe = "dpkb.runner.interpreter.probe"
    with open_session(None, "cpu", 10) as session:
        environment = session.environment
    for keeps in (True, False):
        monkeypatch.setattr(probe, lambda *_, keeps=keeps: replace(environment, keeps_bytecode=keeps))
        with open_session(None, "cpu", 10) as session:
            assert session.env.get("PYTHONPYCACHEPREFIX") == (None if keeps else str(tmp_path / "bytecode"))
            assert ("PYTHONDONTWRITEBYTECODE" in session.env) is keeps


def test_only_a_script_that_uses_the_gpu_is_not_confined():
    with open_session(None, "cpu", 10) as session:
        on_gpu = replace(session, environment=replace(session.environment, device="cuda: H100"))
    assert on_gpu.confinement_of(Needs(devices=("cpu", "cuda"))).why == "it uses a GPU"
    assert on_gpu.env_of(Needs())["CUDA_VISIBLE_DEVICES"] == ""
    assert on_gpu.env_of(Needs(devices=("cpu", "cuda"))) is on_gpu.env
    server = socket.socket()
    server.close()
    with_server = replace(on_gpu, fork_server=server)
    assert with_server.fork_server_for(Needs()) is server and on_gpu.fork_server_for(Needs()) is None
    for needs in (Needs(devices=("cpu", "cuda")), Needs(own_interpreter=True)):
        assert with_server.fork_server_for(needs) is None
    for other, devices in ((on_gpu, ("cpu",)), (session, ("cpu", "cuda"))):
        assert other.confinement_of(Needs(devices=devices)) is session.confinement


def test_an_unknown_device_is_refused():
    with (
        pytest.raises(UsageError, match="--device tpu: must be auto, cpu or cuda"),
        open_session(None, "tpu", 10),
    ):
        pass


def test_a_request_to_stop_from_elsewhere_ends_a_session():
    stop = threading.Event()
    with pytest.raises(Stopped), open_session(None, "cpu", 10, stop=stop):
        stop.set()
