"""What findings say, where it depends on the code."""

import pytest
from support.lint_file import file_of, lint_file

from dpkb.lint.finding import Certainty
from dpkb.lint.run import Selection


def only_finding(code):
    """The only finding in this code."""
    [finding] = lint_file(file_of(code), Selection())[0]
    return finding


@pytest.mark.parametrize(
    ("factor", "message"),
    [
        (4, "prefetch_factor without workers raises ValueError"),
        (2, "prefetch_factor without workers raises ValueError from torch 2.0 on"),
    ],
)
def test_prefetch_factor_needs_workers(factor, message):
    assert only_finding(f"loader = DataLoader(data, prefetch_factor={factor})").message == message


@pytest.mark.parametrize(
    ("layer", "certainty"),
    [
        ("Linear(10, 2)", Certainty.CERTAIN),
        ("LayerNorm(10)", Certainty.CERTAIN),
        ("BatchNorm1d(10)", Certainty.LIKELY),  # right for an input of (4, 10, 8)
    ],
)
def test_the_number_of_features_is_certain_if_no_input_has_it_elsewhere(layer, certainty):
    assert only_finding(f"nn.Sequential(nn.Linear(8, 16), nn.{layer})").certainty is certainty


@pytest.mark.parametrize("before", ["out = torch.relu(x)", "out, other = self.layer(x).chunk(2)"])
@pytest.mark.parametrize(
    ("statement", "fix"),
    [
        ("out += x", "create a new tensor: `out = out + ...`"),
        ("out /= x", "create a new tensor: `out = out / ...`"),
        ("out.mul_(x)", "create a new tensor: `out = out.mul(...)`"),
        ("out[0] = 0", "write into a copy: `out = out.clone()` before this line"),
        ("out.fill_(0)", "write into a copy: `out = out.clone()` before this line"),
    ],
)
def test_a_new_tensor_is_computed_as_the_statement_did(before, statement, fix):
    assert (
        only_finding(f"""
        class Net(nn.Module):
            def forward(self, x):
                {before}
                {statement}
                return out
    """).fix
        == fix
    )


@pytest.mark.parametrize(
    ("iterated", "certainty"),
    [
        ("DataLoader(data)", Certainty.CERTAIN),
        ("Loader()", Certainty.LIKELY),  # a class of another file, which may have next()
    ],
)
def test_the_iterator_of_another_class_may_have_a_next_method(iterated, certainty):
    finding = only_finding(f"from readers import Loader\nloader = {iterated}\nit = iter(loader)\nit.next()")
    assert finding.id == "E1" and finding.certainty is certainty


@pytest.mark.parametrize(
    ("base", "certainty"),
    [
        ("", Certainty.CERTAIN),
        ("(object)", Certainty.CERTAIN),
        ("(Pinnable)", Certainty.LIKELY),  # a class of another file, which may have pin_memory()
    ],
)
def test_a_base_class_that_is_not_known_may_have_the_method_pin_memory(base, certainty):
    finding = only_finding(f"""
from batches import Pinnable
class Pair{base}:
    pass
def collate(samples):
    return Pair()
DataLoader(data, collate_fn=collate, pin_memory=True)
""")
    assert finding.id == "DP5" and finding.certainty is certainty


@pytest.mark.parametrize(
    ("arguments", "certainty"),
    [
        ("data", Certainty.CERTAIN),
        ("data, collate_fn=collate", Certainty.LIKELY),  # it may return an object that moves its tensors
    ],
)
def test_a_part_of_a_batch_is_a_tensor_unless_the_program_collates_it(arguments, certainty):
    finding = only_finding(f"for x, y in DataLoader({arguments}):\n    x.to('cuda')\n")
    assert finding.id == "N2" and finding.certainty is certainty


DATASET = """
class Rows(torch.utils.data.Dataset):
    def __getitem__(self, index):
        return self.read(index)
    def read(self, index):
        return index * self.scale
"""


@pytest.mark.parametrize(
    ("dataset", "attribute", "certainty"),
    [
        ("Rows()", "scale", Certainty.CERTAIN),
        ("Rows()", "epochs_done", Certainty.LIKELY),  # the code of the workers reads it nowhere
        ("other", "scale", Certainty.LIKELY),
    ],
)
def test_a_change_of_the_dataset_is_certain_to_matter_if_a_worker_reads_it(dataset, attribute, certainty):
    [finding] = lint_file(
        file_of(
            DATASET
            + f"""
rows = {dataset}
loader = DataLoader(rows, num_workers=2, persistent_workers=True)
for epoch in range(2):
    rows.{attribute} = epoch
"""
        ),
        Selection(frozenset({"DP18"})),
    )[0]
    assert finding.certainty is certainty


@pytest.mark.parametrize(
    ("arguments", "certainty"),
    [
        ("sampler=RandomSampler(data), shuffle=True", Certainty.CERTAIN),
        ("sampler=sampler, shuffle=True", Certainty.LIKELY),  # the sampler may be None, as all below
        ("batch_sampler=BatchSampler(data, 2, True), drop_last=True", Certainty.CERTAIN),
        ("batch_sampler=sampler, drop_last=True", Certainty.LIKELY),
        ("batch_sampler=BatchSampler(data, 2, True), sampler=RandomSampler(data)", Certainty.CERTAIN),
        ("batch_sampler=BatchSampler(data, 2, True), sampler=sampler", Certainty.LIKELY),
    ],
)
def test_arguments_of_a_loader_exclude_each_other_for_certain_if_none_of_them_is_none(arguments, certainty):
    finding = only_finding(f"""
from torch.utils.data import BatchSampler, RandomSampler
def create_loader(data, sampler=None):
    return DataLoader(data, {arguments})
""")
    assert finding.id == "DP14" and finding.certainty is certainty


@pytest.mark.parametrize(
    ("loss", "certainty"),
    [
        ("F.mse_loss(model(x).argmax(1).float(), labels)", Certainty.CERTAIN),
        ("torch.tensor(total)", Certainty.CERTAIN),
        ("(predicted - labels).mean()", Certainty.CERTAIN),
        ("F.mse_loss(model(x), y)", Certainty.LIKELY),  # it has a graph, as all below
        ("F.mse_loss(model(x), labels)", Certainty.LIKELY),
        ("model(predicted)", Certainty.LIKELY),
        ("outputs", Certainty.LIKELY),
        ("total", Certainty.LIKELY),
    ],
)
def test_a_loss_trains_nothing_for_certain_if_its_graph_is_seen_to_be_cut(loss, certainty):
    finding = only_finding(f"""
import torch.nn.functional as F
def train(model, x, y, optimizer):
    optimizer.zero_grad()
    labels = y.argmax(dim=1)
    with torch.no_grad():
        predicted = model(x)
        outputs = predicted.to(x.device)
    outputs = model(x)
    total = torch.tensor(0.0)
    total += outputs.sum()
    loss = {loss}
    loss.requires_grad_(True)
    loss.backward()
    optimizer.step()
""")
    assert finding.id == "A3" and finding.certainty is certainty
    assert ("is needless if" in finding.message) is (certainty is Certainty.LIKELY)


@pytest.mark.parametrize(
    ("reads", "certainty"),
    [
        ("self.epoch", Certainty.CERTAIN),
        ("self.scale", Certainty.LIKELY),  # the code of the workers does not read what set_epoch() sets
    ],
)
def test_set_epoch_is_certain_to_matter_if_a_worker_reads_what_it_sets(reads, certainty):
    finding = only_finding(f"""
class Rows(torch.utils.data.Dataset):
    def set_epoch(self, epoch):
        self.epoch = epoch
    def __getitem__(self, index):
        return index * {reads}
rows = Rows()
loader = DataLoader(rows, num_workers=2, persistent_workers=True)
for epoch in range(2):
    rows.set_epoch(epoch)
""")
    assert finding.id == "DP18" and finding.certainty is certainty


def test_new_workers_have_what_the_loop_set_before_it_created_their_loader():
    file = file_of(
        DATASET
        + """
    def set_epoch(self, epoch):
        self.scale = epoch
rows = Rows()
for epoch in range(2):
    rows.set_epoch(epoch)
    loader = DataLoader(rows, num_workers=2, persistent_workers=True)
"""
    )
    assert lint_file(file, Selection(frozenset({"DP18"})))[0] == []


@pytest.mark.parametrize(
    ("argument", "findings"),
    [("1", 1), ("torch.ones(1)", 1), ("torch.ones(1).share_memory_()", 0), ("mp.Value('i', 1)", 0)],
)
def test_a_dataset_shares_a_value_by_how_it_is_created_not_by_its_name(argument, findings):
    file = file_of(f"""
import multiprocessing as mp
class Rows(torch.utils.data.Dataset):
    def __init__(self, market_share):
        self.scale = market_share
    def __getitem__(self, index):
        return index * self.scale
rows = Rows({argument})
loader = DataLoader(rows, num_workers=2, persistent_workers=True)
for epoch in range(2):
    rows.scale += 1
""")
    assert len(lint_file(file, Selection(frozenset({"DP18"})))[0]) == findings


@pytest.mark.parametrize(
    ("body", "certainty"),
    [
        ("yield from range(8)", Certainty.CERTAIN),
        ("return iter([1, 2, 3])", Certainty.CERTAIN),
        ("for line in open('rows.txt'):\n            yield line", Certainty.CERTAIN),
        ("return iter(self.source)", Certainty.LIKELY),  # the source may split itself, as all below
        ("return iter(self.source.get, None)", Certainty.LIKELY),
        ("for _ in range(8):\n            yield self.source.get()", Certainty.LIKELY),
        ("yield from part_of(range(8))", Certainty.LIKELY),
        ("rows = self.source\n        rows = list(rows)\n        yield from rows", Certainty.LIKELY),
    ],
)
def test_each_worker_yields_all_samples_for_certain_if_nothing_can_split_them(body, certainty):
    [finding] = lint_file(
        file_of(f"""
from parts import part_of
class Stream(torch.utils.data.IterableDataset):
    def __init__(self, source):
        self.source = source
    def __iter__(self):
        {body}
loader = DataLoader(Stream(source), num_workers=2)
"""),
        Selection(frozenset({"DP2"})),
    )[0]
    assert finding.certainty is certainty


@pytest.mark.parametrize(
    ("between", "certainty"),
    [
        ("print(loss.item())", Certainty.CERTAIN),
        ("train_one(model, x)", Certainty.LIKELY),  # a function of another file, which may call backward()
    ],
)
def test_gradients_are_certainly_lost_if_nothing_may_compute_them_again(between, certainty):
    finding = only_finding(f"""
from steps import train_one
def step(model, optimizer, loss, x):
    loss.backward()
    optimizer.zero_grad()
    {between}
    optimizer.step()
""")
    assert finding.id == "O1" and finding.certainty is certainty


@pytest.mark.parametrize(
    ("layer", "certainty"),
    [
        ("nn.Linear(8, 4)", Certainty.CERTAIN),
        ("Head()", Certainty.LIKELY),  # a layer of the user, which may have no weights
    ],
)
def test_a_new_layer_is_certainly_not_trained_if_it_has_weights(layer, certainty):
    finding = only_finding(f"""
class Head(nn.Module):
    def forward(self, x):
        return x.mean(1)
def train(model, train_with):
    optimizer = torch.optim.SGD(model.parameters())
    model.fc = {layer}
    train_with(optimizer)
""")
    assert finding.id == "O2" and finding.certainty is certainty


@pytest.mark.parametrize(
    ("other", "certainty"),
    [
        ("print(rank)", Certainty.CERTAIN),
        ("wait()", Certainty.LIKELY),  # a function of another file, which may call barrier()
    ],
)
def test_other_ranks_certainly_do_not_wait_if_they_call_nothing_that_may(other, certainty):
    finding = only_finding(f"""
from ranks import wait
if rank == 0:
    torch.distributed.barrier()
else:
    {other}
""")
    assert finding.id == "D21" and finding.certainty is certainty


@pytest.mark.parametrize(
    ("value", "certainty"),
    [
        ("self.layer(x)", Certainty.CERTAIN),
        ("self.layer(x).detach()", Certainty.LIKELY),
        ("x", Certainty.LIKELY),  # in a module that prepares data, which needs no gradient
    ],
)
def test_a_result_is_certainly_kept_for_backward_if_a_layer_with_weights_computes_it(value, certainty):
    finding = only_finding(f"""
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(4, 4)
    def forward(self, x):
        hidden = {value}
        out = torch.exp(hidden)
        out += 1
        return out
""")
    assert finding.id == "A1" and finding.certainty is certainty
