"""The JSON of an OBSERVED line, and its lists as grids. What else `parse` refuses: test_outcome.py."""

import pytest

from dpkb.judge.observed import MAX_DEPTH, describe_key, format_cell, parse_observed, read_grid


def test_a_line_is_an_object_with_a_verdict():
    values = parse_observed(b'{"healthy": true, "seen": [{"a": null}]}')
    assert values == {"healthy": True, "seen": [{"a": None}]}
    for text in (b"[true]", b'{"seen": 1}', b'{"healthy": 1}', b'{"healthy": "true"}'):
        with pytest.raises(ValueError, match="with a true or false `healthy`"):
            parse_observed(text)


def test_a_line_that_is_nested_too_deeply_is_refused():
    def nested(depth):
        return b'{"healthy": true, "x": %s}' % (b"[" * (depth - 1) + b"]" * (depth - 1))

    assert parse_observed(nested(MAX_DEPTH))
    with pytest.raises(ValueError, match="nested deeper"):
        parse_observed(nested(MAX_DEPTH + 1))


def test_a_grid_over_two_axes():
    table = read_grid("crop_by_worker_and_epoch", [[7, 7], [7, 9]])
    assert (table.quantity, table.rows, table.columns) == (
        "crop",
        ("worker 0", "worker 1"),
        ("epoch 0", "epoch 1"),
    )
    assert table.cells == (("7", "7"), ("7", "9")) and table.repeated_cells == {"7"}


def test_a_grid_has_one_axis_or_two_that_fit_its_lists():
    assert read_grid("steps_by_rank", [5, 7]).columns == ("rank 0", "rank 1")
    for key, value in (("steps", [1]), ("steps_by_rank", 3), ("a_by_b_and_c", [1, 2]), ("x_by_y", [])):
        assert read_grid(key, value) is None


def test_a_ragged_or_huge_grid_is_bounded():
    table = read_grid("x_by_row_and_column", [[1] * 50, [2], *[[3]] * 50])
    assert (len(table.rows), len(table.columns), len(table.cells)) == (8, 8, 8)
    assert table.cells[1][1:] == ("",) * 7


@pytest.mark.parametrize(
    ("key", "count", "observed", "names"),
    [
        ("pixel_by_loader", 2, {"loaders": ["PIL", "cv2"]}, ("PIL", "cv2")),
        ("pixel_by_loader", 2, {"loaders": ["PIL"]}, ("loader 0", "loader 1")),
        ("loss_by_batch", 2, {"batches": [4, 8]}, ("batch 4", "batch 8")),
        ("copies_by_workers", 3, None, ("0 workers", "1 worker", "2 workers")),
        ("loss_by_plain_fused_foreach", 3, None, ("plain", "fused", "foreach")),
        ("pixel_by_channel", 3, None, ("red", "green", "blue")),
        ("loss_by_channel", 3, None, ("channel 0", "channel 1", "channel 2")),
    ],
)
def test_the_places_on_an_axis_have_names(key, count, observed, names):
    table = read_grid(key, [0] * count, observed)
    assert table.columns == names


def test_keys_and_values_are_written_as_words():
    assert describe_key("peak_gpu_mb") == "peak GPU MB"
    values = (True, False, 3.14159, 12345678, "a", [1, [2.0, True]], None)
    assert [format_cell(value) for value in values] == [
        "yes",
        "no",
        "3.142",
        "12345678",
        "a",
        "1 2 yes",
        "None",
    ]
