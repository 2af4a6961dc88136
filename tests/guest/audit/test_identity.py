"""Values for objects without a hash, which are not kept alive."""

import gc

from dpkb_audit.identity import IdentityMap


class Equal:
    """All objects are equal, and have no hash."""

    def __eq__(self, other):
        return True


def test_objects_are_told_apart_by_identity():
    one, other, values = Equal(), Equal(), IdentityMap()
    values[one] = 1
    assert one in values and other not in values and values.get(other) is None
    values[other] = 2
    values[one] = 3
    assert [values[one], values[other], len(values)] == [3, 2, 2]
    assert values.setdefault(one, 5) == 3 and values.pop(one) == 3 and one not in values
    assert list(values) == [other] and list(values.values()) == [2]


def test_a_deleted_object_is_forgotten_and_its_id_may_be_used_again():
    values = IdentityMap()
    for number in range(100):
        key = Equal()
        assert values.get(key) is None
        values[key] = number
        del key
        gc.collect(0)
    assert len(values) == 0


def test_an_object_without_weak_references_is_never_found():
    values = IdentityMap()
    values[3] = "three"
    values.add("text")
    assert 3 not in values and len(values) == 0
