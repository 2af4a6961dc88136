import torch
from dpkb_audit.failed_frames import describe_tensor, find_failed_frames


class Batch:
    def __init__(self):
        self.image = torch.ones(2, 3)
        self.size = 2


def fail(batch, label):
    hidden = batch.image.sum(1)
    return hidden.view(5), label["id"].long()


def values_of(*arguments):
    try:
        fail(*arguments)
    except RuntimeError as error:
        return {name: text for frame in find_failed_frames(error) for name, text in frame.values.items()}


def test_what_the_line_names_comes_first_and_each_tensor_once():
    values = values_of(Batch(), {"id": torch.tensor([1, 7]), "name": "a"})
    assert list(values) == ["hidden", "label['id']"]
    assert values["label['id']"] == "int64 (2,) on cpu, 1 to 7"


def test_an_exception_without_a_traceback_has_no_frames():
    assert find_failed_frames(ValueError()) == []


def test_values_are_described_where_they_can_be_read():
    infinite = torch.tensor([float("inf"), float("nan")], requires_grad=True)
    assert describe_tensor(infinite) == "float32 (2,) on cpu, requires grad, has nan, has inf"
    assert describe_tensor(torch.ones(2, device="meta")) == "float32 (2,) on meta"
    assert describe_tensor(torch.ones(0, dtype=torch.int64)) == "int64 (0,) on cpu"
    assert describe_tensor(torch.tensor([True])) == "bool (1,) on cpu"


def test_layers_of_another_version_and_tensors_without_memory_are_named_all_the_same(monkeypatch):
    layer, values = torch.nn.GELU(), torch.zeros(4)
    del layer.__dict__["approximate"]

    def fails(tensor):
        raise RuntimeError("DefaultCPUAllocator: can't allocate memory")

    monkeypatch.setattr(torch, "isnan", fails)
    try:
        torch.nn.functional.linear(layer.weight, values)
    except AttributeError as error:
        (frame,) = find_failed_frames(error)
    assert frame.values == {"values": "float32 (4,) on cpu"}
