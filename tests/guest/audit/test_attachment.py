"""torch is watched for the time of an audit, and only what is still dpkb's own is taken back."""

import sys

import pytest
from dpkb_audit.replaced import Replaced
from dpkb_audit.start import attach

torch = pytest.importorskip("torch")

pytestmark = pytest.mark.slow
functional = torch.nn.functional


@pytest.fixture
def watched(tmp_path):
    """The attachment of an audit that watches this process."""
    audit, attachment = attach(str(tmp_path))
    yield attachment
    attachment.detach()
    audit.dispatcher.closed = True


def test_everything_is_as_before_afterwards(tmp_path):
    before = {id(module): dict(vars(module)) for module in (torch, functional, torch.optim.Optimizer)}
    hooks = dict(sys.modules["torch.optim.optimizer"]._global_optimizer_pre_hooks)
    audit, attachment = attach(str(tmp_path))
    assert torch.save is not before[id(torch)]["save"]
    audit.end()
    attachment.detach()
    for module in (torch, functional, torch.optim.Optimizer):
        assert dict(vars(module)) == before[id(module)]
    assert sys.modules["torch.optim.optimizer"]._global_optimizer_pre_hooks == hooks


def test_what_the_program_replaces_stays(tmp_path):
    real = functional.mse_loss
    audit, attachment = attach(str(tmp_path))
    watching = functional.mse_loss

    def patched(*args, **kwargs):
        return 2 * watching(*args, **kwargs)

    functional.mse_loss = patched
    audit.end()
    attachment.detach()
    try:
        assert functional.mse_loss is patched
        assert patched(torch.ones(2), torch.zeros(2)) == 2, "the function of dpkb still calls the real one"
    finally:
        functional.mse_loss = real


def test_a_function_is_replaced_where_it_is_defined_and_wherever_torch_exports_it(watched):
    assert torch.save is sys.modules["torch.serialization"].save
    assert torch.nn.utils.clip_grad_norm_ is torch.nn.utils.clip_grad.clip_grad_norm_


def test_a_second_audit_leaves_the_functions_of_the_first_alone(watched, tmp_path):
    wrapper = torch.save
    _, second = attach(str(tmp_path))
    assert torch.save is wrapper
    second.detach()
    assert torch.save is wrapper


def test_a_row_that_cannot_be_watched_is_reported_and_the_others_are_watched(watched, monkeypatch):
    from dpkb_audit.calls import wrap

    def wrap_or_fail(real, row, audit):
        return wrap(real, row, audit) if row.name != "softmax" else 1 / 0

    monkeypatch.setattr("dpkb_audit.attachment.wrap", wrap_or_fail)
    reported = []
    watched.audit.report_failure = reported.append
    watched._waiting = [
        Replaced("torch.nn.functional:softmax", "a test", before=print),
        Replaced("torch.nn.functional:elu", "a test", before=lambda *_, **__: None),
        Replaced("torch.nn.functional:missing_in_this_torch", "a test", before=print),
    ]
    real = functional.elu
    watched.install()
    assert reported == ["watching softmax"] and functional.elu is not real


def test_modules_are_followed_only_while_that_is_wanted(watched):
    from torch.nn.modules import module

    watched.hook_modules(False)
    before = len(module._global_forward_hooks)
    watched.hook_modules(True)
    watched.hook_modules(True)
    assert len(module._global_forward_hooks) == before + 1
    watched.leave_modules_to_compiler()
    watched.hook_modules(True)
    assert len(module._global_forward_hooks) == before, "not after something was compiled"


@pytest.mark.parametrize(("drop_last", "dropped"), [(False, 0), (True, 1)])
def test_the_samples_of_a_stream_are_counted_once(watched, drop_last, dropped):
    class Stream(torch.utils.data.IterableDataset):
        def __iter__(self):
            return iter(range(5))

    class Follower:
        def on_stream_ended(self, dataset, samples, dropped):
            ends.append((samples, dropped))

    ends = []
    watched.audit.dispatcher.add_follower(Follower())
    list(torch.utils.data.DataLoader(Stream(), batch_size=2, drop_last=drop_last))
    assert ends == [(5, dropped)]
