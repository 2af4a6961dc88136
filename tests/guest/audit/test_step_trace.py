"""What a trace has of each optimizer step."""

import json
from itertools import pairwise

import pytest
from dpkb_audit.audit import Audit

torch = pytest.importorskip("torch")


@pytest.fixture
def traced(tmp_path, monkeypatch):
    """An audit that writes a trace, a model and its optimizer; traced.lines() reads the trace."""
    from torch import nn

    monkeypatch.setenv("DPKB_AUDIT_TRACE", str(tmp_path / "trace"))
    audit = Audit(str(tmp_path))
    audit.net = nn.Sequential(nn.Linear(2, 2), nn.BatchNorm1d(2))
    audit.optimizer = torch.optim.Adam(audit.net.parameters(), lr=0.25)
    audit.emit("optimizer_created", audit.optimizer)
    audit.name = "trace"
    audit.lines = lambda: [json.loads(line) for line in (tmp_path / audit.name).read_text().splitlines()]
    return audit


def train(audit, loss=0.5):
    audit.emit("forward_started", audit.net, ())
    audit.emit("backward_started", (torch.tensor(loss),))
    audit.emit("step_started", audit.optimizer)
    audit.emit("step_ended", audit.optimizer)


def test_a_line_for_each_step_after_one_for_the_run(traced):
    random = torch.get_rng_state()
    for _ in range(2):
        train(traced)
    traced.emit("end")
    assert torch.equal(random, torch.get_rng_state())
    header, first, second, end = traced.lines()
    assert header["trace"] == 1 and header["run"]["torch"] == torch.__version__
    assert first == second
    assert (first["rates"], first["passes"], first["count"]) == ([0.25], [["0.5"]], 0)
    assert len(first["others"]) == 1 and set(first["random"]) >= {"random", "torch's global generator"}
    assert end["completed"] and end["weights"] == first["weights"]


def test_each_change_is_in_its_own_digest(traced):
    train(traced)
    with torch.no_grad():
        traced.net[0].weight += 1
    train(traced)
    traced.net[1].running_mean += 1
    train(traced)
    traced.optimizer.state[traced.net[0].weight] = {"step": torch.tensor(3.0), "exp_avg": torch.ones(2, 2)}
    train(traced)
    torch.rand(1)
    train(traced)
    _, *steps = traced.lines()
    changed = [{key for key in one if one[key] != two[key]} for one, two in pairwise(steps)]
    assert changed == [{"weights"}, {"others"}, {"count", "moments"}, {"random"}]


def test_another_rank_has_a_file_of_its_own(traced):
    traced.on_process_group_started(3, 4)
    traced.name = "trace.rank3"
    train(traced)
    assert traced.lines()[0]["run"]["ranks"] == 4


def test_parts_of_a_checkpoint_and_no_file_without_a_step(traced, tmp_path):
    state = {"model": traced.net.state_dict(), "ema": {"w": torch.ones(2)}, "epoch": 3}
    traced.emit("saved", state, "last.pt")
    assert not (tmp_path / "trace").exists()
    train(traced)
    traced.emit("saved", state, "last.pt")
    assert set(traced.lines()[-1]["saved"]) == {"['model']", "['ema']"}


def test_no_step_is_only_counted(traced):
    traced.budget.is_cheap = lambda more=0: False
    for _ in range(300):
        train(traced)
    assert not traced.rest.resting and len(traced.lines()) == 301
