"""DP7: a length that does not fit what the dataset returns."""

from __future__ import annotations

import functools
import math
from collections.abc import Iterator
from typing import Any

from dpkb_audit.check import CERTAIN, LIKELY, Check
from dpkb_audit.facts import Fact, group_facts
from dpkb_audit.lengths import read_length
from dpkb_audit.object_contents import attributes_of, has_attributes, is_a
from dpkb_audit.records import LoaderRecord
from dpkb_audit.sample_digests import digest, leaf_text, leaves_of
from dpkb_audit.tensors import is_array, is_tensor

# A dataset is looked at if it has at most this many samples, because each of them is compared.
_MAX_LENGTH = 5000
# The lengths are compared if at least this many samples equal rows of a list, tensor or array.
_MIN_ROWS = 8
# A list must have this many times the rows that are used: half of the rows may be for validation.
_LONGER_RATIO = 2.5
# In a shorter dataset, random picks look like other repeats.
_MIN_PICKS = 40


class DP7(Check):
    description = "the length of a dataset, and the sample that it returns for each index"
    fix = "let __len__ count the same list that __getitem__ indexes, and let a wrong index raise"

    def prepare(self) -> None:
        self._dataset = 0
        self._digests: dict[int, str] = {}
        self._length = 0
        self._notes = 0
        # Name of a list, tensor or array whose rows are or make the samples -> its length, and texts of rows.
        self._rows: dict[str, tuple[int, set[str]]] = {}
        # The attributes that __getitem__ indexes with its index.
        self._indexed: frozenset[str] = frozenset()
        self._compared = 0

    def on_samples(self, dataset: Any, samples: Any, batch: Any) -> None:
        indices = self.audit.indices
        if not is_a(indices, (list, tuple)) or len(indices) != len(samples):
            return
        if id(dataset) != self._dataset:
            self._note_samples()
            if len(self._digests) and self._notes > 5:
                return
            self._dataset, self._digests = id(dataset), {}
            self._length = read_length(dataset) or 0
            self._indexed = _indexed_attributes(type(dataset))  # type: ignore[arg-type]  # a class is hashable
            self._rows, self._compared = (
                {
                    name: (rows, set())
                    for name, rows in _longer_lists(dataset, self._length, self._indexed).items()
                },
                0,
            )
        if not 4 < self._length <= _MAX_LENGTH or not self.audit.can_look():
            return
        for index, sample in zip(indices, samples):
            if type(index) is int and 0 <= index < self._length and index not in self._digests:
                self._digests[index] = digest(sample)
                if self._rows and self._compared < _MIN_ROWS:
                    self._compare_with_rows(dataset, index, sample)

    def _compare_with_rows(self, dataset: Any, index: int, sample: Any) -> None:
        """Keep only the lists in which the row with this index equals the sample, or makes it."""
        self._compared += 1
        leaves, values = _texts(sample) - {repr(index)}, dict(attributes_of(dataset))
        for name, (_, texts) in list(self._rows.items()):
            row = _texts(values[name][index]) if name in values else set()
            if row and (row <= leaves or name in self._indexed):
                texts.add(repr(row))
            else:
                del self._rows[name]

    def on_worker_ended(self, dataset: Any) -> None:
        self._note_samples()

    def on_epoch_ended(self, record: LoaderRecord) -> None:
        self._note_samples(record.where)
        self._compare_with_length(record)

    def _compare_with_length(self, record: LoaderRecord) -> None:
        """Compare the batches of an IterableDataset with what its __len__ promised."""
        loader = record.loader
        promised = getattr(loader, "_IterableDataset_len_called", None)  # in samples
        if promised is not None and loader.batch_size:
            promised = (
                promised // loader.batch_size if loader.drop_last else -(-promised // loader.batch_size)
            )
        if promised is None or loader.num_workers > 1 or (record.evaluated and not record.trained):
            return
        if record.batch != promised:
            self.report(
                LIKELY,
                f"len() of the loader is {promised}, but an epoch had {record.batch} "
                f"batches: __len__ of {type(loader.dataset).__name__} does not count what it returns",
                where=record.where,
                fix="let __len__ of the IterableDataset return what __iter__ yields",
                promised=promised,
                came=record.batch,
            )

    def on_end(self) -> None:
        self._note_samples()

    def _note_samples(self, where: Any = None) -> None:
        """Note which samples were equal, as far as one process knows."""
        digests = self._digests
        if len(digests) < 4 or self._notes > 8:
            return
        self._notes += 1
        self.note(
            digests=digests,
            length=self._length,
            line=where,
            rows={
                name: rows
                for name, (rows, texts) in self._rows.items()
                if self._compared >= _MIN_ROWS and len(texts) >= _MIN_ROWS // 2
            },
        )
        self._digests = {}

    @classmethod
    def compare(cls, facts: list[Fact]) -> Iterator[dict[str, Any]]:
        # Each worker of an epoch has a part of the indices.
        for group in group_facts(
            facts, lambda fact: (fact.loader_key or (fact.pid, fact["line"]), fact["length"])
        ):
            where, length = group[0].loader_line or group[0]["line"], group[0]["length"]
            digests: dict[int, list[str]] = {}
            rows: dict[str, int] = {}
            for fact in group:
                rows.update(fact["rows"])
                for index, text in fact["digests"].items():
                    digests.setdefault(int(index), []).append(text)
            finding = (
                cls._find_picks(digests, length, where)
                or cls._find_rows(rows, length, where)
                or cls._find_repeats(digests, length, where)
            )
            if finding:
                yield finding

    @classmethod
    def _find_picks(cls, digests: dict[int, list[str]], length: int, where: Any) -> dict[str, Any] | None:
        """Samples that are drawn at random, whatever the index."""
        if not _are_random_picks(digests, length):
            return None
        return cls.finding(
            LIKELY,
            "the sample does not follow from the index: the same index gives different samples, and "
            f"different indices the same one. An epoch covers about 63 % of {length} samples",
            where=where,
            fix="use the index in __getitem__; the sampler shuffles",
            length=length,
        )

    @classmethod
    def _find_rows(cls, rows: dict[str, int], length: int, where: Any) -> dict[str, Any] | None:
        """Rows of the data for which there is no index."""
        if not rows:
            return None
        name, number = max(rows.items(), key=lambda item: item[1])
        return cls.finding(
            LIKELY,
            f"the dataset says it has {length} samples, and sample i comes from row i of {name}, "
            f"which has {number} rows: the others are never used",
            where=where,
            length=length,
            rows=number,
        )

    @classmethod
    def _find_repeats(cls, digests: dict[int, list[str]], length: int, where: Any) -> dict[str, Any] | None:
        """Indices beyond the end of the data, which return earlier samples again."""
        repeats = _repeats(digests, length)
        if repeats is None:
            return None
        real, how = repeats
        return cls.finding(
            LIKELY,
            f"the dataset says it has {length} samples, but the last {length - real} of them are "
            f"{how} again: it has {real}",
            where=where,
            length=length,
            distinct=real,
        )

    def on_fetch_failed(self, dataset: Any, indices: Any, error: Any) -> None:
        index, length = _failing_index(dataset, error), read_length(dataset) or 0
        if index is None or not 0 <= index < length:
            return
        if isinstance(error, KeyError) and (not error.args or error.args[0] != index):
            return
        self.report(
            CERTAIN,
            f"dataset[{index}] raised {type(error).__name__}, although len(dataset) is {length}",
            where=_line(error),
            index=index,
            length=length,
        )


def _texts(value: Any) -> set[str]:
    return {leaf_text(leaf) for _, leaf in leaves_of(value)}


def _longer_lists(dataset: Any, length: int, indexed: frozenset[str]) -> dict[str, int]:
    """The lists, tensors and arrays that have many more rows than the dataset says it has.

    indexed: the attributes that __getitem__ indexes with its index; if there are any, only these count.
    Empty if something else has the length of the dataset: a limit, a list of the indices that are used, or
    the other half of pairs.
    """
    from torch.utils.data import Subset

    if is_a(dataset, (Subset, list, tuple)) or not has_attributes(dataset):
        return {}
    if any(type(value) is int and value == length for value in _len_constants(type(dataset))):
        return {}
    rows = {}
    for name, value in attributes_of(dataset):
        if type(value) is int and value == length:
            return {}
        is_list = is_a(value, (list, tuple, range)) or ((is_tensor(value) or is_array(value)) and value.shape)
        if is_list and (name in indexed or not indexed):
            if len(value) == length:
                return {}
            if len(value) > _LONGER_RATIO * length:
                rows[name] = len(value)
    return rows


def _len_constants(kind: type) -> list[Any]:
    """The constants of a dataset's __len__, and the values of the names of its module that it uses."""
    function = getattr(kind, "__len__", None)
    code = getattr(function, "__code__", None)
    if function is None or code is None:
        return []
    return [*code.co_consts, *(function.__globals__.get(name) for name in code.co_names)]


@functools.lru_cache(maxsize=32)  # two datasets may take turns
def _indexed_attributes(kind: type) -> frozenset[str]:
    """ "self.name" for each `self.name[index]`, where `index` is the parameter of a dataset's __getitem__.

    Empty if the method assigns another value to its parameter.
    """
    import ast
    import inspect
    import textwrap

    function = getattr(kind, "__getitem__", None)
    try:
        tree = ast.parse(textwrap.dedent(inspect.getsource(function)))  # type: ignore[arg-type]
        me, index = function.__code__.co_varnames[:2]  # type: ignore[union-attr]
    except (OSError, TypeError, AttributeError, ValueError, SyntaxError):
        return frozenset()
    names = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and node.id == index and not isinstance(node.ctx, ast.Load):
            return frozenset()
        if isinstance(node, ast.Subscript) and isinstance(node.value, ast.Attribute):
            # Before Python 3.9, the slice is in an ast.Index.
            item = getattr(node.slice, "value", node.slice)
            if (
                isinstance(node.value.value, ast.Name)
                and node.value.value.id == me
                and isinstance(item, ast.Name)
                and item.id == index
            ):
                names.add("self." + node.value.attr)
    return frozenset(names)


def _are_random_picks(digests: dict[int, list[str]], length: int) -> bool:
    """Whether the samples are drawn at random from the whole dataset, whatever the index."""
    again = [texts for texts in digests.values() if len(texts) > 1]
    changed = sum(len(set(texts)) > 1 for texts in again)
    if length < _MIN_PICKS or len(again) < length / 2 or changed < 0.9 * len(again):
        return False
    places: dict[str, set[int]] = {}
    for index, texts in digests.items():
        for text in texts:
            places.setdefault(text, set()).add(index)
    draws = sum(map(len, digests.values()))
    # The expected number of different samples after this many draws with replacement.
    expected = length * (1 - math.exp(-draws / length))
    return sum(len(indices) > 1 for indices in places.values()) > 0.2 * len(places) and (
        0.9 < len(places) / expected < 1.1
    )


def _repeats(digests: dict[int, list[str]], length: int) -> tuple[int, str] | None:
    """How many samples there really are, if the later ones repeat the first samples or the last one."""
    # A sample that changes with each call is augmented.
    if len(digests) < length or any(len(set(texts)) > 1 for texts in digests.values()):
        return None
    texts = [digests[i][0] for i in range(length)]
    real = len(set(texts))
    if not 4 <= real < length or len(set(texts[:real])) != real:
        return None
    # If the length is a multiple of the data, the epoch is longer on purpose.
    if length % real and texts[real:] == (texts * 2)[: length - real] and length < 2 * real:
        return real, "the first ones"
    if length - real >= 2 and set(texts[real:]) == {texts[real - 1]}:
        return real, "the last one"
    return None


def _failing_index(dataset: Any, error: Any) -> int | None:
    """The index for which the dataset's own __getitem__ raised, and not a function that it calls."""
    trace, last = error.__traceback__, None
    while trace is not None:
        frame = trace.tb_frame
        if frame.f_code.co_name == "__getitem__" and frame.f_code.co_argcount == 2:
            names = frame.f_code.co_varnames
            owner, index = frame.f_locals.get(names[0]), frame.f_locals.get(names[1])
            last = index if owner is dataset and type(index) is int else None
        else:
            last = None
        trace = trace.tb_next
    return last


def _line(error: Any) -> tuple[str, int] | None:
    trace = error.__traceback__
    while trace.tb_next is not None:
        trace = trace.tb_next
    return trace.tb_frame.f_code.co_filename, trace.tb_lineno
