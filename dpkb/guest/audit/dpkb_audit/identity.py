"""Values for objects of the program, which keep nothing alive and need no hash of the objects."""

from __future__ import annotations

import weakref

MYPY = False
if MYPY:
    from collections.abc import Iterator
    from typing import Any


class IdentityMap:
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

    def get(self, key: Any, default: Any = None) -> Any:
        """The value of an object, or the default."""
        reference, value = self._items.get(id(key), (None, None))
        return value if reference is not None and reference() is key else default

    def __getitem__(self, key: Any) -> Any:
        return self._items[id(key)][1]

    def __contains__(self, key: Any) -> bool:
        item = self._items.get(id(key))
        return item is not None and item[0]() is key

    def setdefault(self, key: Any, value: Any) -> Any:
        """The value of an object, which is set if the object has none."""
        if key not in self:
            self[key] = value
        return self.get(key, value)

    def pop(self, key: Any, default: Any = None) -> Any:
        """Remove an object, and return its value or the default."""
        value = self.get(key, default)
        if key in self:
            del self._items[id(key)]
        return value

    def add(self, key: Any) -> None:
        """Add an object, as to a set."""
        self[key] = True

    def items(self) -> Iterator[tuple[Any, Any]]:
        """The objects that still exist, each with its value."""
        for reference, value in list(self._items.values()):
            key = reference()
            if key is not None:
                yield key, value

    def __iter__(self) -> Iterator[Any]:
        return (key for key, _ in self.items())

    def values(self) -> Iterator[Any]:
        """The values of the objects that still exist."""
        return (value for _, value in self.items())

    def __len__(self) -> int:
        return len(self._items)

    def clear(self) -> None:
        """Forget all objects."""
        self._items.clear()
