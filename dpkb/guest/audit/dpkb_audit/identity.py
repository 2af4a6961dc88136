"""Values for objects of the program, which keep nothing alive and need no hash of the objects."""

from __future__ import annotations

import weakref
from collections.abc import Iterator, MutableMapping
from typing import Any


class IdentityMap(MutableMapping):  # type: ignore[type-arg]  # Python 3.8 has no MutableMapping[Any, Any]
    """Maps objects to values by identity. It forgets an object that is deleted.

    The classes of a program may define __eq__ without __hash__, so no object of a program is a key of a dict.
    An object that cannot be referred to weakly is never found.
    """

    def __init__(self) -> None:
        # The id of an object -> a weak reference to it, and its value.
        self._items: dict[int, tuple[weakref.ref[Any], Any]] = {}

    def __setitem__(self, key: Any, value: Any) -> None:
        items, number = self._items, id(key)

        def forget(reference: Any) -> None:
            # The id may belong to a new object by now.
            if number in items and items[number][0] is reference:
                del items[number]

        try:
            reference = items[number][0] if key in self else weakref.ref(key, forget)
        except TypeError:
            return
        items[number] = reference, value

    def __getitem__(self, key: Any) -> Any:
        reference, value = self._items[id(key)]
        if reference() is not key:
            raise KeyError
        return value

    def __delitem__(self, key: Any) -> None:
        del self._items[id(key)]

    def add(self, key: Any) -> None:
        """Add an object, as to a set."""
        self[key] = True

    def __iter__(self) -> Iterator[Any]:
        keys = [reference() for reference, _ in list(self._items.values())]
        return (key for key in keys if key is not None)

    def __len__(self) -> int:
        return len(self._items)
