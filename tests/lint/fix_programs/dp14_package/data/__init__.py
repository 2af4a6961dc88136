from . import loading


def refuses():
    try:
        loading.load([1])
    except ValueError:
        return True
    return False
