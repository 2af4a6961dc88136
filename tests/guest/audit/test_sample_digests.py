"""Texts that are equal for equal samples, and for those only."""

from collections import UserDict
from types import SimpleNamespace

import pytest
from dpkb_audit.sample_digests import digest, leaf_text, leaves_of

torch = pytest.importorskip("torch")
pytestmark = pytest.mark.slow


class Sample:
    def __init__(self, label):
        self.label = label


SAMPLES = [
    torch.zeros(3),
    torch.ones(3),
    torch.zeros(1, 3),
    torch.zeros(3, dtype=torch.float64),
    torch.zeros(0),
    [1, 2],
    [1, 3],
    {"a": 1},
    {"b": 1},
    "text",
    "texts",
    b"text",
    1,
    1.0,
    None,
    (torch.zeros(3), 1),
    (torch.zeros(3), 2),
    Sample(1),
    Sample(2),
]


def test_different_samples_have_different_digests():
    digests = [digest(sample) for sample in SAMPLES]
    assert len(set(digests)) == len(SAMPLES) and all(len(text) == 8 for text in digests)


def test_equal_samples_have_equal_digests_wherever_they_lie():
    grid = torch.arange(12.0).reshape(3, 4)
    assert digest(grid.t()) == digest(grid.t().contiguous()) == digest(grid.t().clone())
    assert digest({"x": (grid, "a")}) == digest({"x": (grid.clone(), "a")})


def test_one_changed_pixel_of_a_small_image_is_seen():
    image = torch.zeros(3, 8, 8)
    other = image.clone()
    other[2, 7, 7] = 1
    assert digest(image) != digest(other)


def test_a_stripe_of_a_large_image_is_seen():
    image = torch.zeros(3, 512, 512)
    for dim in (1, 2):
        other = image.clone()
        other.narrow(dim, 100, 32).fill_(1)
        assert digest(image) != digest(other)


@pytest.mark.parametrize(
    "tensor", [torch.zeros(2).to_sparse(), torch.zeros(2, device="meta")], ids=["sparse", "meta"]
)
def test_an_unreadable_tensor_has_a_digest(tensor):
    assert len(digest(tensor)) == 8


def test_the_batch_of_a_tokenizer_is_looked_into():
    batch = UserDict(ids=[3, 4], masks={"text": 1})
    assert list(leaves_of(batch)) == [("['ids'][0]", 3), ("['ids'][1]", 4), ("['masks']['text']", 1)]


def test_an_object_without_a_value_has_no_text():
    assert leaf_text(object()) == leaf_text(len) == leaf_text(dict) == ""
    assert leaf_text(SimpleNamespace(number=1)) != leaf_text(SimpleNamespace(number=2)) != ""
