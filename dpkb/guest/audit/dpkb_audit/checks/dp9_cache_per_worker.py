"""DP9: a cache that each worker fills for itself, so that it is lost or exists several times."""

from __future__ import annotations

import functools
import sys
from collections.abc import Iterator
from typing import Any

from dpkb_audit.check import LIKELY, Check
from dpkb_audit.checks._module_contents import is_of_user
from dpkb_audit.facts import Fact, group_facts
from dpkb_audit.memory import bytes_of, was_forked
from dpkb_audit.object_contents import attributes_of, has_attributes, is_a
from dpkb_audit.sample_digests import is_image
from dpkb_audit.tensors import is_array, is_tensor

# A cache has at least this many entries.
_MIN_ENTRIES = 8
# A cache that a worker keeps is reported if it has at least this many bytes.
_MIN_BYTES = 1 << 20
# Entries are samples if they have at least this many bytes.
_MIN_ENTRY_BYTES = 1 << 10
# A container that is pickled into each worker is reported if it has at least this many bytes.
_MIN_COPIED_BYTES = 24 << 20


class DP9(Check):
    description = (
        "the dicts, lists and cached functions of a dataset and of its file that grow in its workers"
    )
    fix = "fill the cache before the workers are forked, or keep it in shared memory or in a mapped file"

    def prepare(self) -> None:
        self._epoch = self._samples = 0
        # Name -> at the start of the epoch, the entries of a container, or the cache hits of a function.
        self._sizes: dict[str, int] = {}
        self._hits: dict[str, int] = {}
        self._dataset: Any = None

    def on_worker_started(self, dataset: Any, collate: Any) -> None:
        self._note_growth()
        self._epoch += 1
        self._samples, self._dataset = 0, dataset
        self._sizes = {name: _size(value) for name, value in _containers(dataset)}
        self._hits = {name: value.cache_info().hits for name, value in _cached_functions(dataset)}
        if self._epoch == 1 and not was_forked():
            for name, value in _containers(dataset):
                if bytes_of(value) >= _MIN_COPIED_BYTES:
                    self.note(copied=name, bytes=bytes_of(value), dataset=type(dataset).__name__)

    def on_samples(self, dataset: Any, samples: Any, batch: Any) -> None:
        if self.audit.worker is not None and dataset is self._dataset:
            before, self._samples = self._samples, self._samples + len(samples)
            # A worker that is killed emits no event at its end.
            if self._epoch <= 2 and before < 32 <= self._samples:
                self._note_growth()

    def on_worker_ended(self, dataset: Any) -> None:
        self._note_growth()
        self._dataset = None

    def _note_growth(self) -> None:
        from torch.utils.data import get_worker_info

        info = get_worker_info()
        if self._dataset is None or info is None or self._epoch > 5:
            return
        for name, value in _containers(self._dataset):
            start, size = self._sizes.get(name, 0), _size(value)
            if (
                name in self._hits
                and max(size - start, 4 * (value.cache_info().hits - self._hits[name])) > 2 * self._samples
            ):
                continue  # a cache of words or sizes, not of samples
            if size - start >= max(_MIN_ENTRIES, self._samples // 2) or (
                self._epoch > 1 and size >= _MIN_ENTRIES
            ):
                self.note(
                    name=name,
                    start=start,
                    size=size,
                    epoch=self._epoch,
                    samples=self._samples,
                    bytes=bytes_of(value),
                    workers=info.num_workers,
                )

    @classmethod
    def compare(cls, facts: list[Fact]) -> Iterator[dict[str, Any]]:
        copies = [fact for fact in facts if "copied" in fact]
        for group in group_facts(copies, lambda fact: fact["copied"]):
            yield cls._copy_finding(group)
        grown = [fact for fact in facts if fact.loader and "name" in fact]
        for group in group_facts(grown, lambda fact: (fact["name"], fact.loader_key)):
            finding = cls._growth_finding(group)
            if finding:
                yield finding

    @classmethod
    def _copy_finding(cls, group: list[Fact]) -> dict[str, Any]:
        """A large container that was pickled into each worker."""
        megabytes, workers = _megabytes(group), len({fact.pid for fact in group})
        readers = f"each of {workers} workers that were" if workers > 1 else "the worker, which was"
        return cls.finding(
            LIKELY,
            f"{group[0]['copied']} of {group[0]['dataset']} holds {megabytes} MB, which were pickled into "
            f"{readers} not forked",
            where=group[0].loader_line,
            megabytes=megabytes,
        )

    @classmethod
    def _growth_finding(cls, group: list[Fact]) -> dict[str, Any] | None:
        """A cache that workers fill, and that is lost at their end or not shared."""
        name, where, workers = group[0]["name"], group[0].loader_line, len({fact.pid for fact in group})
        epochs = len({fact.worker_start(fact["workers"]) for fact in group})
        growth = max(fact["size"] - fact["start"] for fact in group)
        # The main process may also fill it, for example in validation.
        starts = [fact["start"] for fact in group]
        if epochs > 1 and max(starts) - min(starts) < growth:
            return cls.finding(
                LIKELY,
                f"{name} grew by up to {growth} entries in each worker and was lost with it: "
                f"the workers of {epochs} epochs began with {min(starts)}",
                where=where,
                entries=growth,
            )
        is_large = any(fact["bytes"] >= max(_MIN_BYTES, _MIN_ENTRY_BYTES * fact["size"]) for fact in group)
        if workers > 1 and growth >= _MIN_ENTRIES and is_large and max(fact["epoch"] for fact in group) > 1:
            megabytes = _megabytes(group)
            return cls.finding(
                LIKELY,
                f"{name} grew in each of {workers} workers, to {megabytes} MB in one "
                "of them: the workers do not share it",
                where=where,
                megabytes=megabytes,
            )
        return None


def _megabytes(group: list[Fact]) -> int:
    return int(max(fact["bytes"] for fact in group)) >> 20


def _containers(dataset: Any) -> list[tuple[str, Any]]:
    """Name and value of the dicts and lists that may be caches of data."""
    containers: list[tuple[str, Any]] = []
    for name, value in attributes_of(dataset):
        if is_a(value, dict):
            if all(map(_is_data, list(value.values())[-2:])):
                containers.append((name, value))
        elif (
            is_a(value, list)
            and len(value) <= 100000
            and (_has_places(value) or any(map(_is_data, value[:1])))
        ):
            containers.append((name, value))
    return containers + _cached_functions(dataset)


def _cached_functions(dataset: Any) -> list[tuple[str, Any]]:
    """Name and value of the functions in a dataset's file, and of its methods, with functools.lru_cache."""
    owners = [dataset, *(value for _, value in attributes_of(dataset) if has_attributes(value))]
    functions: dict[str, Any] = {}
    for kind in {type(owner): None for owner in owners}:
        if is_of_user(kind):
            for space in (sys.modules.get(kind.__module__), kind):
                for name, value in list(vars(space).items()) if space else ():
                    if is_a(value, functools._lru_cache_wrapper):
                        functions[f"the cache of {name}()"] = value
    return list(functions.items())


def _size(value: Any) -> int:
    if is_a(value, functools._lru_cache_wrapper):
        return int(value.cache_info().misses)
    # Compare by identity: `!=` of an array compares each of its elements.
    return sum(item is not None for item in value) if is_a(value, list) else len(value)


def _has_places(value: list[Any]) -> bool:
    """Whether this list has places that are still None."""
    return any(item is None for item in value[:1] + value[-1:])


def _is_data(value: Any) -> bool:
    """Whether this can be a sample: neither a count nor an open file."""
    if is_tensor(value) or is_array(value) or is_a(value, (bytes, str, dict)):
        return True
    if is_a(value, (list, tuple)):
        return len(value) > 0 and any(map(_is_data, value[:4]))
    return is_image(value)
