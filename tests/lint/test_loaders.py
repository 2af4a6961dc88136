"""Data loaders in code: their settings, their datasets, and the loops over them."""

import pytest
from support.lint_file import file_of, last, named

from dpkb.lint.loaders import Loader, find_datasets, find_loaders, loader_of
from dpkb.lint.nodes import text_of


def loader(arguments, before=""):
    file = file_of(f"{before}\nDataLoader({arguments})\n")
    return Loader(file, last(file))


@pytest.mark.parametrize(
    ("arguments", "before", "value"),
    [
        ("data, 8, True", "", "True"),
        ("data, shuffle=x", "", "x"),
        ("data, 8", "", ""),
        ("data, **more", "more = {'shuffle': True}", "True"),
        ("data, **more", "more = dict(shuffle=True)", "True"),
        ("data, **more", "", ""),
        ("data, *more", "", ""),
        ("data, **{'shuffle': 1}", "", "1"),
        ("data, shuffle=False, **more", "more = {'shuffle': True}", "False"),
    ],
)
def test_an_argument_of_a_loader(arguments, before, value):
    assert text_of(loader(arguments, before).value("shuffle")) == value


@pytest.mark.parametrize(
    ("arguments", "flag", "has"),
    [
        ("data", False, False),
        ("data, shuffle=True", True, True),
        ("data, shuffle=False", False, True),
        ("data, shuffle=None", False, True),
        ("data, shuffle=args.shuffle", None, True),
        ("data, **more", None, True),
    ],
)
def test_a_flag_is_true_false_or_unknown(arguments, flag, has):
    assert loader(arguments).flag("shuffle") is flag and loader(arguments).has("shuffle") is has


@pytest.mark.parametrize(
    ("arguments", "number", "may"),
    [
        ("data", 0, False),
        ("data, num_workers=0", 0, False),
        ("data, num_workers=4", 4, True),
        ("data, num_workers=args.workers", None, True),
        ("data, **more", None, False),
        ("data, 8, False, None, None, 2", 2, True),
    ],
)
def test_the_workers_of_a_loader(arguments, number, may):
    assert loader(arguments).num_workers == number and loader(arguments).may_have_workers is may


@pytest.mark.parametrize(
    ("context", "method"),
    [
        ("'spawn'", "spawn"),
        ("torch.multiprocessing.get_context('fork')", "fork"),
        ("context", None),
        ("get_context(name)", None),
    ],
)
def test_the_start_method_that_a_loader_names(context, method):
    before = "from multiprocessing import get_context"
    assert loader(f"data, multiprocessing_context={context}", before).start_method == method


DATASETS = """
class Rows(torch.utils.data.Dataset):
    pass
class Stream(torch.utils.data.IterableDataset):
    pass
class Odd:
    pass
rows = Rows()
parts = torch.utils.data.random_split(rows, [8, 2])
"""


@pytest.mark.parametrize(
    ("dataset", "names", "iterable"),
    [
        ("rows", ["Rows"], False),
        ("Stream()", ["Stream"], True),
        ("parts[0]", ["Rows"], False),
        ("torch.utils.data.Subset(rows, [1])", ["Rows"], False),
        ("unknown", [], False),
        ("torch.utils.data.ConcatDataset([rows, Stream()])", ["Rows", "Stream"], True),
    ],
)
def test_the_classes_of_a_dataset(dataset, names, iterable):
    one = loader(dataset, DATASETS)
    assert [info.name for info in one.dataset_classes] == names and one.is_iterable is iterable
    assert [info.name for info in find_datasets(one.file)] == ["Rows", "Stream"]


def test_the_loaders_of_a_file_have_its_own_subclasses_and_know_their_classes():
    own = "class Mine(DataLoader):\n    pass\na, b = DataLoader(rows), Mine(Stream())\n"
    file = file_of(DATASETS + own)
    assert [text_of(one.call) for one in find_loaders(file)] == ["DataLoader(rows)", "Mine(Stream())"]
    stream = file.definitions.classes["Stream"]
    assert [text_of(one.call) for one in find_datasets(file)[stream]] == ["Mine(Stream())"]


def test_a_subclass_with_its_own_init_has_other_positions():
    file = file_of(
        "class Mine(DataLoader):\n    def __init__(self, folder, shuffle, augment, split):\n        pass\n"
        "Mine('data', False, True, 'train')\n"
    )
    [one] = find_loaders(file)
    assert text_of(one.value("shuffle")) == "False" and one.value("sampler") is one.value("dataset") is None


@pytest.mark.parametrize(
    "iterated", ["train", "enumerate(train)", "tqdm(enumerate(train))", "self_made", "DataLoader(data)"]
)
def test_the_loader_that_a_loop_iterates_over(iterated):
    file = file_of(f"train = DataLoader(data)\nself_made = tqdm(train)\n{iterated}\n")
    assert text_of(loader_of(file, last(file)).call) == "DataLoader(data)"
    assert loader_of(file, named(file, "data")) is None


@pytest.mark.parametrize(
    "iterated", ["range(len(train))", "range(min(len(train), 4))", "tqdm(range(number))"]
)
def test_a_loop_over_the_length_of_a_loader_does_not_iterate_over_it(iterated):
    file = file_of(f"train = DataLoader(data)\nnumber = len(train)\n{iterated}\n")
    assert loader_of(file, last(file)) is None
