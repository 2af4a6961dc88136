"""The extension for notebooks, in a real kernel."""

import nbclient
import nbformat
import pytest

pytestmark = pytest.mark.slow

CELLS = {
    "load": "%load_ext dpkb",
    "again, before": "%dpkb",
    "layer": "import torch\nlayer = torch.nn.Linear(510, 10)\nx = torch.randn(4, 512)",
    "failed": "hidden = x.relu()\nlayer(hidden)",
    "again": "%dpkb",
    "of the program": "raise ValueError('of the program')",
    "watched": """%%dpkb_audit
optimizer = torch.optim.SGD(layer.parameters(), lr=0.1)
for _ in range(8):
    scores = layer(torch.randn(4, 510)).softmax(1)
    loss = torch.nn.functional.cross_entropy(scores, torch.arange(4))
    optimizer.zero_grad(); loss.backward(); optimizer.step()""",
    "watched and failed": "%%dpkb_audit\nlayer(x)",
    "unload": "%unload_ext dpkb",
    "unloaded": "layer(x)",
    "installed": "from dpkb.traceback import install; install(), install()",
    "failed after install()": "layer(x)",
}


@pytest.fixture(scope="module")
def outputs():
    """The outputs of each cell: what is printed, the data shown, and the names of errors."""
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(code) for code in CELLS.values()])
    nbclient.NotebookClient(notebook, timeout=300, allow_errors=True, kernel_name="python3").execute()
    assert [cell.execution_count for cell in notebook.cells] == list(range(1, len(CELLS) + 1))
    return {
        name: [output.get("text") or output.get("data") or output["ename"] for output in cell.outputs]
        for name, cell in zip(CELLS, notebook.cells, strict=True)
    }


def test_a_cell_that_fails_is_explained_below_its_traceback(outputs):
    error, data = outputs["failed"]
    assert error == "RuntimeError" and set(data) == {"text/plain", "text/html"}
    assert (
        "Linear(in_features=510, out_features=10, bias=True)\n    input  float32 (4, 512)"
        in data["text/plain"]
    )
    assert "\nS1 " in data["text/plain"] and data["text/html"].startswith("<pre>Where it failed")
    assert outputs["again"] == [data]


def test_nothing_is_said_where_nothing_fits(outputs):
    assert outputs["load"] == outputs["unload"] == []
    assert outputs["again, before"] == ["dpkb: there is no exception that an entry or a tensor explains\n"]
    assert outputs["of the program"] == ["ValueError"] and outputs["unloaded"] == ["RuntimeError"]


def test_install_explains_the_cells_of_a_notebook_too(outputs):
    assert outputs["installed"] == [{"text/plain": "(None, None)"}]
    error, data = outputs["failed after install()"]
    assert error == "RuntimeError" and "Linear(" in data["text/plain"]


def test_a_watched_cell_shows_the_report(outputs):
    [report] = outputs["watched"]
    assert report["text/plain"].startswith("O14 ")
    assert " (Cell In[7]:5)\n" in report["text/plain"]
    assert "dpkb show O14" in report["text/html"]


def test_a_watched_cell_that_fails_ends_a_run_of_the_whole_notebook(outputs):
    error, explanation, report, last = outputs["watched and failed"]
    assert error == "RuntimeError" and "Linear(" in explanation["text/plain"] and last == "CellFailed"
    assert report["text/plain"] == "dpkb audit: nothing found in 0 optimizer steps"
