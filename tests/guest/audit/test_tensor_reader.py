"""Checks get the values of tensors at once on the CPU, and later, without waiting, on a GPU."""

from types import SimpleNamespace

import pytest
from dpkb_audit import tensor_reader
from dpkb_audit.tensor_reader import TensorReader

torch = pytest.importorskip("torch")
pytestmark = pytest.mark.slow


class Event:
    """Stands for an event of a GPU, which most machines do not have."""

    is_reached = False

    def query(self):
        return self.is_reached


@pytest.fixture
def reader(monkeypatch):
    monkeypatch.setenv("DPKB_AUDIT_READ_GPU", "1")
    written = []
    audit = SimpleNamespace(
        training=SimpleNamespace(step=3),
        written=written,
        journal=SimpleNamespace(write=lambda kind, **fields: written.append((kind, fields))),
        dispatcher=SimpleNamespace(remove_failed_check=lambda check: written.append(("failed", check))),
    )
    return TensorReader(audit)


@pytest.fixture
def events(reader, monkeypatch):
    """Tensors on meta stand for tensors on a GPU: their copies hold ones."""
    asked = []

    def copy(tensor, read):
        asked.append(Event())
        read.copies.append(torch.ones(tensor.shape))
        read.events.append(asked[-1])

    monkeypatch.setattr(tensor_reader, "is_readable_as_copy", lambda tensor: True)
    monkeypatch.setattr(tensor_reader, "_copy", copy)
    return asked


def test_values_on_the_cpu_are_read_at_once(reader):
    seen = []
    reader.read("check", [torch.tensor([1.0]), torch.tensor([2])], lambda *tensors: seen.extend(tensors))
    assert [value.item() for value in seen] == [1.0, 2]


@pytest.mark.parametrize(
    "tensor", [torch.zeros(2, device="meta"), torch.zeros(2).to_sparse()], ids=["meta", "sparse"]
)
def test_what_cannot_be_read_is_never_passed_on(reader, tensor):
    reader.read("check", [torch.zeros(2), tensor], lambda *tensors: pytest.fail("it was passed on"))
    reader.on_end()


def test_copies_are_passed_on_in_order_when_they_are_ready(reader, events):
    seen = []
    for number in range(3):
        reader.read(
            "check",
            [torch.zeros(number + 1, device="meta")],
            lambda value: seen.append((len(value), reader.origin[1])),
        )
    reader._audit.training.step = 4
    events[1].is_reached = True
    reader.on_end()
    assert seen == []
    events[0].is_reached = True
    reader.on_end()
    assert seen == [(1, 3), (2, 3)] and reader.origin is None


def test_a_check_that_raises_is_removed_and_the_others_get_their_copies(reader, events):
    seen = []
    reader.read("bad", [torch.zeros(1, device="meta")], lambda value: 1 / 0)
    reader.read("good", [torch.zeros(1, device="meta")], seen.append)
    for event in events:
        event.is_reached = True
    reader.on_end()
    assert reader._audit.written == [("failed", "bad")] and len(seen) == 1


def test_a_fork_forgets_what_the_parent_has_asked_for(reader, events):
    reader.read("check", [torch.zeros(1, device="meta")], lambda value: pytest.fail("it was passed on"))
    events[0].is_reached = True
    reader.forget()
    reader.on_end()


def test_nothing_is_copied_unless_the_user_asks_for_it(events, reader, monkeypatch):
    monkeypatch.delenv("DPKB_AUDIT_READ_GPU")
    TensorReader(reader._audit).read("check", [torch.zeros(1, device="meta")], pytest.fail)
    assert not events


def test_work_of_the_program_that_failed_is_no_failure_of_a_check(reader, events):
    class Broken:
        def query(self):
            raise RuntimeError("device-side assert triggered")

    reader.read("check", [torch.zeros(1, device="meta")], pytest.fail)
    reader._waiting[0].events[0] = Broken()
    reader.on_end()
    assert not reader._waiting and not reader._audit.written


@pytest.mark.parametrize(("device", "named", "not_named"), [("meta", "O14", "O1,"), ("cpu", "", "O14")])
def test_checks_that_cannot_read_a_device_are_named(reader, device, named, not_named):
    weight = torch.zeros(1, device=device)
    for _ in range(2):
        reader.on_step_started(SimpleNamespace(param_groups=[{"params": [weight]}]))
    areas = [fields["area"] for _, fields in reader._audit.written]
    assert len(areas) == bool(named)
    assert all(named in area and "O15" in area and not_named not in area for area in areas)
