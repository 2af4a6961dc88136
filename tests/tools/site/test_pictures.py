"""Pictures of recorded numbers: bars, grids and colours, what their places are called, what is not drawn."""

import re

import pytest
from support import write_catalogue
from support.results import HERE, result

from dpkb.catalogue.load import load
from dpkb.evidence import store
from dpkb.model import Outcome
from tools.site import pages, pictures


def page_of(folder, **runs):
    """The page of an entry with these recorded runs: broken=(outcome, OBSERVED)."""
    catalogue = load([folder])
    (entry,) = catalogue
    results = [result(name, outcome=outcome, observed=observed) for name, (outcome, observed) in runs.items()]
    if results:
        store.record(results, HERE, [entry], folder, "2026-01-02")
    pages.write(catalogue, store.load(folder), folder / "pages")
    return (folder / "pages/entries/zz1.md").read_text()


@pytest.mark.parametrize(
    ("key", "value", "has"),
    [
        ("steps_by_rank", [5, 7], 'class="bar"'),
        ("crop_by_worker_and_epoch", [[1, 1], [2, 3]], 'class="cell same0"'),
        ("grown_mb_by_worker_and_epoch", [[0, 16], [16, 32]], 'class="cell shade" fill-opacity="0.70"'),
        ("index_by_sample", [3, 3, 4], 'class="cell same0"'),
        ("moved_by_layer", [True, False], ">yes</text>"),
        ("loss_by_batch", ["0.5", "nan"], ">nan</text>"),
        ("steps_by_rank", [0, 0], 'class="bar"'),
        ("mean_by_rank", [-1.5, float("inf")], ">inf</text>"),
        ("dtype_by_<b>", ["<script>", "x"], "&lt;script&gt;"),
        ("ragged_by_row_and_column", [[1], [2, 3], []], 'class="cell"'),
    ],
)
def test_a_picture_of_a_list(key, value, has):
    drawn = pictures.draw_lists({key: value}, "broken.py: wrong result")
    assert has in drawn and "\n" not in drawn and "<b>" not in drawn
    assert drawn.startswith("<div")


def test_an_empty_list_has_no_picture():
    assert pictures.draw_lists({"wait_by_step": []}, "broken.py: wrong result") == ""


@pytest.mark.parametrize(
    ("key", "value", "names"),
    [
        ("copies_by_workers_and_sample", [[2], [2], [4]], ("0 workers", "1 worker", "2 workers")),
        ("hooks_fired_by_net_encoder_head", [0, 0, 3], ("net", "encoder", "head")),
        ("loss_by_padded_width", [1.4, 0.7], ("padded width 0", "padded width 1")),
    ],
)
def test_what_the_places_on_an_axis_are_called(key, value, names):
    drawn = re.findall(r'class="name"[^>]*>([^<]*)<', pictures.draw_lists({key: value}, "broken.py"))
    assert tuple(name for name in drawn if not name.startswith("sample")) == names


def test_yes_has_the_same_colour_in_every_picture():
    colours = {}
    for value in ([True, True, False], [False, False, False], [False, True]):
        drawn = pictures.draw_lists({"moved_by_layer": value}, "broken.py")
        for colour, word in re.findall(r'<rect class="([^"]*)"[^>]*/><text[^>]*>(yes|no)<', drawn):
            colours.setdefault(word, set()).add(colour)
    assert set(colours) == {"yes", "no"} and len(colours["yes"]) == len(colours["no"]) == 1
    assert colours["yes"] != colours["no"]


def test_plain_numbers_that_differ_are_drawn_as_bars():
    runs = {
        "broken.py": {"healthy": False, "waiting": 0.8, "workers": 2, "mode": "a", "late": True},
        "fixed.py": {"healthy": True, "waiting": 0.2, "workers": 2, "mode": "b", "late": False},
    }
    drawn = pictures.draw_comparison(runs)
    assert drawn.count("<svg") == 1 and ">waiting<" in drawn
    widths = [float(width) for width in re.findall(r'class="bar"[^>]* width="([\d.]+)"', drawn)]
    assert widths[0] == pytest.approx(4 * widths[1])
    assert pictures.draw_comparison({"broken.py": {"healthy": False}, "fixed.py": {"waiting": 1}}) == ""


@pytest.mark.parametrize(
    ("observed", "names"),
    [
        ({"loaders": ["PIL", "cv2"], "hits_by_loader": [3, 0]}, ("PIL", "cv2")),
        ({"batches": ["list", "set"], "pinned_by_batch": [1, 0]}, ("list", "set")),
        ({"statistics": ["own", "test's"], "accuracy_by_statistics": [1, 0]}, ("own", "test&#x27;s")),
        (
            {"padded_widths": [6, 30], "loss_by_padded_width": [1.4, 0.7]},
            ("padded width 6", "padded width 30"),
        ),
        ({"loaders": ["PIL"], "hits_by_loader": [3, 0]}, ("loader 0", "loader 1")),
        ({"loaders": 2, "hits_by_loader": [3, 0]}, ("loader 0", "loader 1")),
    ],
)
def test_a_list_of_the_same_line_names_the_places_of_an_axis(observed, names):
    drawn = pictures.draw_lists(observed, "broken.py")
    assert tuple(re.findall(r'class="name"[^>]*>([^<]*)<', drawn)) == names
    assert f"{names[0]} {list(observed.values())[1][0]}" in drawn


def test_names_of_rows_and_columns_stand_in_the_table_too(tmp_path):
    seen = {
        "healthy": False,
        "loaders": ["PIL", "cv2"],
        "ends": ["smallest", "largest"],
        "range_by_loader_and_end": [[0, 1], [0, 255]],
    }
    page = page_of(write_catalogue(tmp_path), broken=(Outcome.WRONG_RESULT, seen))
    assert "<th>range</th><th>smallest</th><th>largest</th>" in page
    assert "<td>cv2</td><td>0</td><td>255</td>" in page
    assert 'aria-label="broken.py: wrong result: range: PIL 0, 1; cv2 0, 255"' in page


def test_units_are_written_as_they_are_known():
    drawn = pictures.draw_lists({"grown_mb_by_worker": [16, 3]}, "broken.py")
    assert ">grown MB</text>" in drawn and "grown MB: worker 0 16, worker 1 3" in drawn
    assert ">CPU share of workers</text>" in pictures.draw_comparison(
        {"broken.py": {"cpu_share_of_workers": 0.9}, "fixed.py": {"cpu_share_of_workers": 0.1}}
    )


def test_three_channels_of_a_pixel_are_shown_as_the_colour_they_are():
    shown = {"loaders": ["PIL", "cv2"], "pixel_by_loader_and_channel": [[1.0, 0.2, 0.0], [0.0, 0.2, 1.0]]}
    drawn = pictures.draw_lists(shown, "broken.py")
    assert re.findall(r'class="colour" fill="([^"]*)"', drawn) == ["#ff3300", "#0033ff"]
    assert re.findall(r'class="name"[^>]*>([^<]*)<', drawn)[:3] == ["red", "green", "blue"]
    for beyond in ([[2.2, 0.2, 0.0]], [[-1, 0, 0]], [["1", 0, 0]], [[True, 0, 0]]):
        assert 'class="colour"' not in pictures.draw_lists({"pixel_by_view_and_channel": beyond}, "broken.py")
    assert 'class="colour"' not in pictures.draw_lists({"grad_by_view_and_channel": [[1, 1, 1]]}, "broken.py")


def test_where_the_failure_has_no_list_its_plain_numbers_are_compared(tmp_path):
    page = page_of(
        write_catalogue(tmp_path),
        broken=(Outcome.WRONG_RESULT, {"healthy": False, "never_seen": 16}),
        fixed=(Outcome.HEALTHY, {"healthy": True, "never_seen": 0, "used_by_worker": [8, 4]}),
    )
    assert 'aria-label="never seen: broken.py 16, fixed.py 0"' in page
    assert 'aria-label="fixed.py: healthy: used: worker 0 8, worker 1 4"' in page
    assert page.index("used: worker 0 8") < page.index("The numbers of")


def test_what_differs_too_little_to_be_seen_is_not_drawn():
    runs = {"broken.py": {"loss": 2.9, "speed": 1.0}, "fixed.py": {"loss": 2.95, "speed": 3.6}}
    assert re.findall(r"aria-label=\"(loss|speed)", pictures.draw_comparison(runs)) == ["speed"]


def test_the_page_says_why_a_failure_has_no_picture(tmp_path):
    healthy = (Outcome.HEALTHY, {"healthy": True, "steps_by_rank": [5, 5]})
    page = page_of(write_catalogue(tmp_path / "a"), broken=(Outcome.RAISED, None), fixed=healthy)
    assert '<a href="#broken"><code>broken.py</code></a> ends before it can print a number (raised).' in page
    page = page_of(write_catalogue(tmp_path / "b", places="cuda"))
    assert "<p>Not drawn, because no run on a GPU is recorded: " in page
    page = page_of(write_catalogue(tmp_path / "c", places="cuda"), broken=healthy, fixed=healthy)
    assert "Not drawn" not in page and "<svg" in page
    assert "#picture" not in page_of(write_catalogue(tmp_path / "d"))
