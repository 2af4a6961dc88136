"""What checks can ask about the training: its losses, and which loaders and models it trains with."""

import weakref
from types import SimpleNamespace

import pytest
from dpkb_audit.records import LoaderRecord
from dpkb_audit.training import Training

torch = pytest.importorskip("torch")
pytestmark = pytest.mark.slow


class Lines(list):
    """A journal that only keeps what is written."""

    def write(self, kind, **fields):
        self.append({"kind": kind, **fields})


@pytest.fixture
def training():
    calls = SimpleNamespace(
        follow_epoch=lambda: None,
        follow_batch=lambda last: None,
        follow_step=lambda step: None,
        forget_unfinished=lambda: None,
    )
    audit = SimpleNamespace(
        journal=Lines(),
        rank=0,
        rest=SimpleNamespace(follow_step=lambda step: None),
        module_calls=calls,
        can_look=lambda: True,
        process_fields=lambda: {"rank": 0},
    )
    training = Training(audit)
    training.journal = audit.journal
    return training


@pytest.fixture
def loader_of():
    """loader_of(length) -> the record of a loader of that many batches."""

    def make(length=3):
        loader = torch.utils.data.DataLoader(torch.zeros(2 * length, 4), batch_size=2)
        kept.append(loader)
        return LoaderRecord(loader, len(kept))

    kept = []
    yield make
    kept.clear()


def backward(training, value):
    training.on_backward_started((torch.tensor(value),))


def test_losses_are_kept_if_they_are_finite_numbers(training):
    for value in (3.0, float("nan"), 2.5, float("inf"), *(2.0,) * 20):
        backward(training, value)
    assert training.first_losses == [3.0, 2.5, 2.0, 2.0, 2.0] and training.last_losses == [2.0] * 10
    backward(training, [1.0, 2.0])
    assert training.loss is None and training.counts["backward passes"] == 25


@pytest.mark.parametrize(
    ("value", "loss", "finite"),
    [
        (2.5, 2.5, True),
        (float("inf"), float("inf"), False),
        ([float("nan")] * 2, None, True),
        (1 + 2j, None, True),
    ],
)
def test_a_loss_is_bad_if_it_is_a_single_number_that_is_not_finite(training, value, loss, finite):
    backward(training, value)
    assert (training.loss, training.is_loss_finite) == (loss, finite)


def test_the_steps_of_each_optimizer_are_counted(training):
    one, two = (torch.optim.SGD([torch.zeros(1, requires_grad=True)], lr=0.1) for _ in range(2))
    for optimizer in (one, one, two, one):
        training.on_step_started(optimizer)
    assert training.optimizer.optimizer is one and training.optimizer_steps == 3
    assert [record.steps for record in training.optimizer_records.values()] == [3, 1]
    del optimizer, one
    assert len(training.optimizer_records) == 1, "it is not kept alive"


def test_the_loader_that_gave_the_batch_trains_and_the_other_is_evaluated(training, loader_of):
    train, test = loader_of(), loader_of()
    training.on_epoch_started(train)
    training.on_batch(train, torch.zeros(2, 4), 0.1)
    training.follow_forward()
    backward(training, 1.0)
    training.on_epoch_started(test)
    training.on_batch(test, torch.zeros(2, 4), 0.1)
    with torch.no_grad():
        training.follow_forward()
    assert (train.trained, train.evaluated) == (True, False)
    assert (test.trained, test.evaluated) == (False, True)
    assert train.length == 3 and train.batch_bytes == 2 * 4 * 4


def test_two_loaders_that_give_a_batch_each_for_one_step_both_train(training, loader_of):
    one, two = loader_of(), loader_of()
    for record in (one, two):
        training.on_epoch_started(record)
        training.on_batch(record, torch.zeros(2, 4), 0.0)
    backward(training, 1.0)
    assert one.trained and two.trained
    training.on_epoch_started(one)
    assert one.trained and one.trained_epoch < one.epochs, "the new epoch may be an evaluation"


def test_a_model_is_trained_if_it_was_called_with_gradients(training):
    model, frozen = torch.nn.Linear(2, 2), torch.nn.Linear(2, 2)
    training.on_forward_started(model, ())
    with torch.no_grad():
        training.on_forward_started(frozen, ())
    training.on_forward_started(torch.nn.MSELoss(), ())
    backward(training, 1.0)
    assert [(one is model, passes) for one, passes in training.models.items()] == [(True, 1), (False, 0)]
    gone = weakref.ref(model)
    del model
    assert gone() is None, "it is not kept alive"


def test_steps_are_counted_and_a_forked_child_begins_again(training, loader_of):
    training.on_loader_created(loader_of())
    for _ in range(3):
        training.on_step_ended(None)
    training.write()
    assert training.journal[-2] == {"kind": "counts", "counts": {"optimizer steps": 3}, "rank": 0}
    assert training.journal[-1]["kind"] == "loader"
    training.restart()
    assert (training.step, training.counts, training.loaders, training.loader) == (0, {}, [], None)


def test_the_counts_of_a_long_run_are_written_less_often(training, monkeypatch):
    now = [training._started_at]
    monkeypatch.setattr("dpkb_audit.training.time", SimpleNamespace(perf_counter=lambda: now[0]))
    for _ in range(8 * 3600):
        now[0] += 1.01
        training.count("batches")
    assert 300 < len(training.journal) < 1000
    assert training.journal[-1]["counts"]["batches"] > 0.98 * 8 * 3600
