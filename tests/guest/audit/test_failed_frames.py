import concurrent.futures
import sys
from dataclasses import dataclass

import torch
from dpkb_audit.failed_frames import describe_tensor, find_failed_frames
from torch.utils._python_dispatch import TorchDispatchMode


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


def frames_of(function, *arguments):
    try:
        function(*arguments)
    except Exception as error:
        return find_failed_frames(error)


def test_there_are_at_most_twelve_lines():
    def outer(*batches):
        first, second, third = batches, list(batches), dict(enumerate(batches))
        inner(torch.ones(3), [torch.ones(number) for number in range(9)])
        return first, second, third

    def inner(hidden, others):
        return hidden.view(5), others

    frames = frames_of(outer, *[torch.ones(number + 1) for number in range(4)])
    assert [next(iter(frame.values)) for frame in frames] == ["hidden", "batches[0]"]
    assert 1 + sum(1 + len(frame.values) for frame in frames) == 12


def test_a_function_with_many_locals_is_read_only_as_far_as_it_is_shown(monkeypatch):
    lines = [f"    name{number} = torch.ones(2)" for number in range(3000)]
    space = {"torch": torch}
    exec("\n".join(["def fail():", *lines, "    name7.view(3)"]), space)
    read = []
    monkeypatch.setattr("dpkb_audit.failed_frames.is_readable", read.append)
    (frame,) = frames_of(space["fail"])
    assert len(frame.values) == len(read) == 10


@dataclass
class Pair:
    __slots__ = ("first", "second")
    first: torch.Tensor
    second: torch.Tensor


def test_dataclasses_with_slots_and_without():
    @dataclass
    class Batch:
        ids: torch.Tensor
        size: int

    pair = Pair(torch.ones(2), torch.ones(3))

    def inner(pair, batch):
        return pair.first + batch.ids

    (frame,) = frames_of(inner, pair, Batch(torch.arange(3), 3))
    assert frame.values == {
        "pair.first": "float32 (2,) on cpu",
        "batch.ids": "int64 (3,) on cpu, 0 to 2",
        "pair.second": "float32 (3,) on cpu",
    }
    del pair.second
    (frame,) = frames_of(inner, pair, Batch(torch.arange(3), 3))
    assert list(frame.values) == ["batch.ids"], "what has an empty slot is left out"


class Model:
    def __init__(self):
        self.scale, self.unused = torch.ones(5), torch.ones(6)
        self.layer = torch.nn.Linear(3, 4)
        self.history = [torch.ones(7)]

    def step(self, batch):
        return torch.add(
            self.layer(batch),
            self.scale,
        ) + len(self.history)


def test_attributes_of_self_that_the_expression_names_also_in_its_other_lines():
    (frame,) = frames_of(Model().step, torch.ones(2, 3))
    first, names = "return torch.add(", ["batch"]
    if sys.version_info >= (3, 11):
        first, names = f"{first} self.layer(batch),", ["self.layer", "batch", "self.scale", "self.history[0]"]
    assert frame.code.startswith(first) and list(frame.values) == names


def test_what_the_line_would_have_given_a_value_is_not_shown_with_that_of_an_earlier_step():
    def batches():
        yield torch.ones(2)
        raise ValueError

    def loop(other):
        for batch in batches():
            other = batch
        return other

    def assign(hidden, scores):
        scores, hidden = scores.view(7), label(hidden, name=hidden)

    def label(hidden, name):
        return hidden, name

    def call(x, y):
        label(x.view(3), name=y)

    one, two = torch.ones(1), torch.ones(2)
    assert list(frames_of(loop, one)[0].values) == ["other"]
    assert list(frames_of(assign, one, two)[0].values) == ["scores", "hidden"]
    assert list(frames_of(call, one, two)[0].values) == ["x", "y"]


def test_what_an_exception_was_raised_from_comes_first():
    def load(x):
        return x.view(7)

    def train(y):
        try:
            load(torch.ones(3))
        except RuntimeError as error:
            raise ValueError("a bad batch") from error

    found = frames_of(train, torch.ones(4))
    assert [list(frame.values) for frame in found[:2]] == [["x"], ["y"]]


def test_exceptions_that_caused_each_other_and_groups_that_contain_themselves_end():
    first, second = ValueError(), KeyError()

    def cross(x):
        first.__cause__, second.__cause__ = second, first
        raise first

    assert frames_of(cross, torch.ones(3))[0].values == {"x": "float32 (3,) on cpu"}
    if sys.version_info >= (3, 11):

        class Own(ExceptionGroup):  # noqa: F821
            @property
            def exceptions(self):
                return (self,)

        assert find_failed_frames(Own("parts", [first]))[0].values == {"x": "float32 (3,) on cpu"}


def raise_in_a_worker(number):
    raise ValueError(number)


def test_the_tensors_beside_a_pool_say_nothing_of_an_exception_in_it():
    def use(pool, mine):
        return mine, list(pool.map(raise_in_a_worker, [1]))

    context = torch.multiprocessing.get_context("fork")
    with concurrent.futures.ProcessPoolExecutor(1, context) as pool:
        assert frames_of(use, pool, torch.ones(2)) == []
    with context.Pool(1) as pool:
        assert frames_of(use, pool, torch.ones(2)) == []


class Told(torch.Tensor):
    @classmethod
    def __torch_function__(cls, function, types, args=(), kwargs=None):
        raise SystemError(function)


def test_freed_memory_is_not_read():
    weight, part = torch.ones(4), torch.arange(4)[2:]
    weight.untyped_storage().resize_(0)  # as FSDP does
    part.untyped_storage().resize_(0)
    assert describe_tensor(weight) == "float32 (4,) on cpu" and describe_tensor(part) == "int64 (2,) on cpu"
    assert describe_tensor(torch.arange(1).expand(2, 3)) == "int64 (2, 3) on cpu, 0 to 0"


class Mode(TorchDispatchMode):
    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        raise SystemError(function)


def test_a_mode_of_the_program_that_fails_leaves_shape_and_type():
    values = torch.ones(2)
    with Mode():
        assert describe_tensor(values) == "float32 (2,) on cpu"


class Bare:
    __slots__ = ()

    def __getattribute__(self, name):
        raise SystemError(name)

    @property
    def __dict__(self):
        raise SystemError


def test_an_object_whose_attributes_all_raise():
    def inner(bare, values):
        return values.view(7), bare.loss.scale

    assert frames_of(inner, Bare(), torch.ones(2))[0].values == {"values": "float32 (2,) on cpu"}


def test_a_value_that_fails_is_left_out_and_a_class_of_the_program_is_not_told():
    layer = torch.nn.Linear(2, 3)
    layer.in_features = type("Odd", (), {"__format__": None})()
    told = torch.Tensor._make_subclass(Told, torch.ones(2))

    def inner(told, layer, values):
        return layer(values), told

    (torch_frame, frame) = frames_of(inner, told, layer, torch.ones(4))
    assert torch_frame.values == {"input": "float32 (4,) on cpu"}
    assert frame.values == {"told": "float32 (2,) on cpu"}
