"""What modules contain is read without their methods, which a program may replace."""

import pytest
from dpkb_audit.modules import buffers_in, has_parameters, named_modules_in, named_parameters_in, state_in

torch = pytest.importorskip("torch")

pytestmark = pytest.mark.slow


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.body = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.BatchNorm1d(2), None)
        self.head = torch.nn.Linear(2, 2)
        self.head.weight = self.body[0].weight
        self.register_buffer("scratch", torch.zeros(1), persistent=False)

    def parameters(self, *_):
        raise AssertionError("called by a look")

    named_parameters = named_modules = modules = children = state_dict = parameters


def test_a_model_is_read_as_torch_reads_it():
    model = Model()
    plain = torch.nn.ModuleDict({"body": model.body, "head": model.head})
    assert [path for path, _ in named_modules_in(model)] == [path for path, _ in plain.named_modules()]
    assert [path for path, _ in named_parameters_in(model)] == [path for path, _ in plain.named_parameters()]
    assert len(list(buffers_in(model))) == len(list(plain.buffers())) + 1
    assert has_parameters(model) and not has_parameters(torch.nn.ReLU())
    assert set(state_in(model)) == set(plain.state_dict())
