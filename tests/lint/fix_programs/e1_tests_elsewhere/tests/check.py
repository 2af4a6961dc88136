from batches import first


def check():
    try:
        first()
    except AttributeError:
        return "raises"
    return "works"
