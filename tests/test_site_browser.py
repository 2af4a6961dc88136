"""The built site in a real Chromium: from a folder and under a sub-path, narrow and wide, light and dark."""

import functools
import http.server
import re
import threading
from pathlib import Path

import browser
import pytest
from conftest import ROOT
from test_site import build

from dpkb import evidence, site
from dpkb.catalogue import load

pytestmark = [pytest.mark.reproducers, pytest.mark.skipif(
    bool(browser.missing()), reason=browser.missing() or "there is one")]
PAGES = ("index.html", "entries/dp1.html", "entries/o1.html", "entries/dp9.html", "families/DP.html",
         "families/index.html", "matrix.html", "graph.html")
# What breaks a page for someone; and no answer is no pass.
AXE = """window.dpkbAxe = null; axe.run(document, {resultTypes: ["violations"]}).then((told) => {
  window.dpkbAxe = told.violations.filter((v) => ["serious", "critical"].includes(v.impact))
    .map((v) => v.id + ": " + v.nodes.slice(0, 3).map((n) => n.html).join(" | "));
});"""


@pytest.fixture(scope="module")
def html(tmp_path_factory):
    """The site, two folders below the one that is served."""
    pages = tmp_path_factory.mktemp("site") / "pages"
    site.write(load([ROOT]), evidence.load(ROOT), pages)
    return build(pages, pages.parent / "served/some/path")


@pytest.fixture(scope="module")
def window():
    with browser.Browser() as opened:
        yield opened


@pytest.fixture(scope="module")
def served(html):
    """The address of the site under a sub-path."""
    class Quiet(http.server.SimpleHTTPRequestHandler):
        def log_message(self, *_):
            pass

    handler = functools.partial(Quiet, directory=html.parent.parent)
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/some/path"
        server.shutdown()


def look(window, width, scheme):
    """Set the size of the window and the reader's wish for light or dark."""
    size = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": False}
    wish = {"features": [{"name": "prefers-color-scheme", "value": scheme}]}
    for command, parameters in (("setDeviceMetricsOverride", size), ("setEmulatedMedia", wish)):
        window._call("POST", "/goog/cdp/execute", {"cmd": f"Emulation.{command}", "params": parameters})


@pytest.mark.parametrize("page", PAGES)
def test_from_a_folder_and_under_a_path_nothing_is_asked_of_others(window, html, served, page):
    for base in (html.as_uri(), served):
        window.requests(), window.errors()
        window.open(f"{base}/{page}")
        for address in window.requests():
            assert address.startswith((base, "data:", "about:", f"{served}/")), address
        assert [e for e in window.errors() if "favicon.ico" not in e] == []


@pytest.mark.parametrize("width", [360, 1600])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_no_page_is_wider_than_the_window(window, html, width, scheme):
    look(window, width, scheme)
    for page in PAGES:
        window.open(f"{html.as_uri()}/{page}")
        assert window.run("return document.documentElement.scrollWidth") <= width, page
        wished = {"light": "default", "dark": "slate"}[scheme]
        assert window.until(f"return document.body.dataset.mdColorScheme === '{wished}'"), page


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_serious(window, html, scheme):
    package = pytest.importorskip("axe_core_python")
    axe = (Path(next(iter(package.__path__))) / "axe.min.js").read_text()
    look(window, 360, scheme)
    for page in PAGES[:5]:
        window.open(f"{html.as_uri()}/{page}")
        window.run(axe)
        window.run(AXE)
        assert window.until("return window.dpkbAxe !== null", 60), page
        assert window.run("return window.dpkbAxe") == [], page


def test_the_filter_stands_in_the_address(window, html, served):
    shown = ("return [...document.querySelectorAll('#dpkb-filter ~ * tbody tr:not([hidden])')]"
             ".map((row) => row.cells[0].textContent.trim() + ' ' + row.cells[2].textContent)")
    for base in (html.as_uri(), served):
        window.open(f"{base}/index.html?kind=hangs&family=DP")
        rows = window.until(shown)
        assert rows and all(re.fullmatch(r"DP\d+ hangs", row) for row in rows)
        assert f"{len(rows)} of " in window.run("return document.querySelector('#dpkb-filter output').value")
        window.run("const e = document.querySelector('#dpkb-filter [name=kind]'); e.value = 'memory';"
                   "e.dispatchEvent(new Event('input', {bubbles: true}))")
        assert window.until("return location.search === '?kind=memory&family=DP'")
        assert all(re.fullmatch(r"DP\d+ memory", row) for row in window.run(shown))
        window.open(f"{base}/index.html?torch=1.7")
        assert window.until(shown + ".length === 0") is not None
        window.open(f"{base}/index.html?torch=2.4.1")
        assert len(window.run(shown)) > 50


def test_a_link_by_id_leads_to_the_entry(window, html):
    for name in ("DP15", "dp15"):
        window.open(f"{html.as_uri()}/id/{name}.html")
        assert window.until("return location.pathname.endsWith('/entries/dp15.html')")


def test_the_copy_button_is_there(window, html):
    window.open(f"{html.as_uri()}/entries/dp1.html#diff")
    assert window.until("return !!document.querySelector('#diff ~ .language-diff .md-code__button')")
