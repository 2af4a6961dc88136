from ..reading import (
    # the reader
    first,
)


def check():
    try:
        return first()
    except AttributeError:
        return "new"
