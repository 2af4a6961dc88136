"""Values are read from plain tensors on the CPU only, and at a bounded cost."""

import pytest
from dpkb_audit.tensors import is_readable, read_elements

torch = pytest.importorskip("torch")
pytestmark = pytest.mark.slow


def test_the_elements_of_a_large_tensor_cost_no_more():
    assert len(read_elements(torch.zeros(3, 1000, 1000))) == 256 and read_elements(torch.zeros(0)) == []


@pytest.mark.parametrize(
    "tensor", [torch.zeros(2).to_sparse(), torch.zeros(2, device="meta")], ids=["sparse", "meta"]
)
def test_an_unreadable_tensor_has_no_elements(tensor):
    assert not is_readable(tensor) and read_elements(tensor) == []


def test_within_vmap_a_tensor_has_no_values():
    seen = []
    torch.vmap(lambda x: (seen.append(is_readable(x)), x)[1])(torch.zeros(2))
    assert seen == [False] and is_readable(torch.zeros(2))


def test_freed_memory_is_not_readable():
    weights = torch.ones(4, 2)
    part = weights[1:]
    assert is_readable(part) and is_readable(torch.ones(0, 2)) and is_readable(torch.ones(1).expand(3))
    weights.untyped_storage().resize_(0)  # as FSDP does, between the uses of a layer
    assert not is_readable(weights) and not is_readable(part) and read_elements(weights) == []
