"""The lists of an OBSERVED line as grids."""

from dpkb.judge.observed import grid


def test_a_grid_over_two_axes():
    table = grid("crop_by_worker_and_epoch", [[7, 7], [7, 9]])
    assert (table.quantity, table.rows, table.columns) == (
        "crop", ("worker 0", "worker 1"), ("epoch 0", "epoch 1"))
    assert table.repeated == {"7"}


def test_a_grid_over_one_axis_and_what_is_none():
    assert grid("steps_by_rank", [5, 7]).columns == ("rank 0", "rank 1")
    for key, value in (("steps", [1]), ("steps_by_rank", 3), ("a_by_b_and_c", [1, 2]), ("x_by_y", [])):
        assert grid(key, value) is None


def test_a_ragged_or_huge_grid_is_bounded():
    table = grid("x_by_row_and_column", [[1] * 50, [2], *[[3]] * 50])
    assert (len(table.rows), len(table.columns), len(table.cells)) == (8, 8, 8)
    assert table.cells[1][1:] == ("",) * 7
