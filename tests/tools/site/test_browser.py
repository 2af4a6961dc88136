"""The built site in a real Chromium: from a folder and under a sub-path, narrow and wide, light and dark."""

import os
import re
import shutil
import statistics
import subprocess
import sys
import time
from pathlib import Path
from urllib.parse import quote

import pytest
from support import ENTRY, ROOT, browser, write_catalogue
from support.mkdocs import build

from dpkb.catalogue.load import load
from tools.site import pages as site

pytestmark = pytest.mark.slow
PAGES = (
    "index.html",
    "entries/dp1.html",
    "entries/o1.html",
    "entries/dp9.html",
    "families/DP.html",
    "families/index.html",
    "matrix.html",
    "lint.html",
    "audit.html",
    "about.html",
)
GROUND = "return getComputedStyle(document.body).backgroundColor"
GROUNDS = {"light": "rgb(255, 255, 255)", "dark": "rgb(26, 27, 33)"}
# The test waits for `dpkbAxe`, and fails if it stays null.
AXE = """window.dpkbAxe = null; axe.run(document, {resultTypes: ["violations"]}).then((result) => {
  window.dpkbAxe = result.violations
    .map((v) => v.id + ": " + v.nodes.slice(0, 3).map((n) => n.html).join(" | "));
});"""


@pytest.fixture(scope="module")
def html(built_site):
    return built_site.html


@pytest.fixture(scope="module")
def window():
    browser.skip_if(browser.explain_missing())
    with browser.Browser() as opened:
        yield opened


@pytest.fixture(scope="module")
def served(html):
    """The address of the site under a sub-path."""
    with browser.serve(html.parent.parent) as address:
        yield f"{address}/some/path"


def test_make_browser_leaves_a_browser_alone_and_says_what_it_lacks(tmp_path):
    """It installs nothing where nothing is missing; without apt-get it says so in a line, and fails."""
    browser.skip_if(browser.explain_missing())
    setup = [sys.executable, Path(browser.__file__)]
    done = subprocess.run(setup, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    done = subprocess.run(
        setup, capture_output=True, text=True, check=False, env={**os.environ, "PATH": str(tmp_path)}
    )
    assert done.returncode == 1 and done.stderr.startswith("make browser: no apt-get here")
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize(("ci", "asked"), [("", False), ("true", True)])
def test_make_test_installs_the_browser_in_ci_only(ci, asked):
    browser.skip_if("" if shutil.which("make") else "no make here: apt-get install make")
    # Variables of a `make` that started this test must not count.
    around = {name: value for name, value in os.environ.items() if not name.startswith("MAKE")}
    done = subprocess.run(
        ["make", "--dry-run", "-C", ROOT, "test"],
        capture_output=True,
        text=True,
        env={**around, "CI": ci},
        check=True,
    )
    assert ("tests/support/browser.py" in done.stdout) == asked


def look(window, width, scheme):
    """Set the size of the window and the reader's wish for light or dark."""
    window.call_devtools(
        "Emulation.setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1, mobile=False
    )
    window.call_devtools(
        "Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}]
    )


@pytest.mark.parametrize("page", PAGES)
def test_a_page_loads_nothing_from_elsewhere(window, html, served, page):
    for base in (html.as_uri(), served):
        window.take_requests(), window.take_errors()
        window.open(f"{base}/{page}")
        asked = window.take_requests()
        assert f"{base}/{page}" in asked
        for address in asked:
            assert address.startswith((base, "data:", "about:", f"{served}/")), address
        assert window.take_errors() == []


@pytest.mark.parametrize("width", [360, 1600])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_no_page_is_wider_than_the_window(window, html, width, scheme):
    look(window, width, scheme)
    for page in PAGES:
        window.open(f"{html.as_uri()}/{page}")
        assert window.run("return document.documentElement.scrollWidth") <= width, page
        assert window.run(GROUND) == GROUNDS[scheme], page


CUT_CODE = """document.querySelectorAll("details").forEach((fold) => { fold.open = true; });
return [...document.querySelectorAll("pre, td code")].filter((code) => {
  if (code.tagName === "PRE") return code.scrollWidth > code.clientWidth;
  const end = Math.min(innerWidth, code.closest(".scroll").getBoundingClientRect().right);
  return [...code.getClientRects()].some((line) => line.right > end + 1);
}).map((code) => code.textContent.slice(0, 80));"""


def test_no_code_is_cut_off_and_a_page_is_half_as_long_as_it_was(window, html):
    """Blocks of code and code in tables, on every page. The median of the entries was 7,200 px."""
    heights = []
    for width in (1400, 390):
        look(window, width, "light")
        for page in sorted(html.glob("**/*.html")):
            window.open(page.as_uri())
            if width == 1400 and page.parent.name == "entries":
                heights.append(window.run("return document.documentElement.scrollHeight"))
            assert window.run(CUT_CODE) == [], (width, page.name)
    assert statistics.median(heights) <= 7200 / 2


def test_a_table_is_a_list_where_a_phone_has_no_room_for_it(window, html):
    """It stays a table for a screen reader, and each cell is seen with the head of its column."""
    page = f"{html.as_uri()}/entries/dp15.html"
    first = "const block = document.querySelector('.cases .scroll'), row = block.querySelectorAll('td');"
    look(window, 1400, "light")
    window.open(page)
    assert not window.run(first + "return block.classList.contains('list')")
    heads = window.run("return [...document.querySelectorAll('.cases th')].map((cell) => cell.textContent)")
    look(window, 360, "light")
    window.open(page)
    shown = first + (
        "return [block.scrollWidth <= block.clientWidth, row[1].getBoundingClientRect().top >="
        " row[0].getBoundingClientRect().bottom, getComputedStyle(row[1], '::before').content.replace(/[\" ]/g, ''),"
        " [...new Set([...block.querySelectorAll('[role]')].map((part) => part.getAttribute('role')))]]"
    )
    roles = ["table", "rowgroup", "row", "columnheader", "cell"]
    assert window.run(shown) == [True, True, f"{heads[1]}:", roles]


def test_a_slash_leads_to_the_search_on_every_page(window, html, served):
    places = [(base, page) for base in (html.as_uri(), served) for page in PAGES]
    with browser.serve(html) as root:
        for base, page in (*places, (root, "404.html")):
            window.open(f"{base}/{page}")
            assert window.run("return document.activeElement.id") != "dpkb-question"
            window.press("/")
            assert window.until("return document.activeElement.id === 'dpkb-question'", 20), page
            window.press("bus error")
            first = window.until("return document.querySelector('.dpkb-search__hits a')?.href")
            assert first == f"{base}/entries/dp15.html", page
            # In a dialog, the address is still that of the page below it.
            assert ("#q=" in window.run("return location.href")) == (page in ("index.html", "404.html")), page


def test_a_link_to_a_script_opens_the_fold_around_it(window, html):
    window.open(f"{html.as_uri()}/entries/dp1.html#fixed")
    assert window.run("return document.getElementById('fixed').closest('details').open")
    window.run("document.querySelectorAll('details').forEach((fold) => { fold.open = false; })")
    window.run('document.querySelector(\'#evidence ~ * a[href="#broken"], a[href="#broken"]\').click()')
    assert window.until("return document.getElementById('broken').closest('details').open", 10)


def test_no_word_of_a_picture_is_cut_off(window, html):
    look(window, 1600, "light")
    pictures = 0
    for page in sorted((html / "entries").glob("*.html")):
        if "dpkb-picture" not in page.read_text():
            continue
        window.open(page.as_uri())
        cut = window.run("""return [...document.querySelectorAll(".dpkb-picture svg")].flatMap((drawn) => {
          const frame = drawn.getBoundingClientRect();
          return [...drawn.querySelectorAll("text")].filter((word) => {
            const place = word.getBoundingClientRect();
            return place.left < frame.left - 0.5 || place.right > frame.right + 0.5;
          }).map((word) => word.textContent);
        })""")
        assert cut == [], page.name
        pictures += window.run("return document.querySelectorAll('.dpkb-picture svg').length")
    assert pictures > 80


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_no_violation(window, html, scheme):
    axe = (browser.find_package("axe_core_python") / "axe.min.js").read_text()
    look(window, 360, scheme)
    # The addresses of 404.html begin at the root of a server.
    with browser.serve(html) as root:
        pages = [f"{html.as_uri()}/{page}" for page in (*PAGES, "index.html#q=bus%20error")]
        for page in (*pages, f"{root}/404.html"):
            window.open(page)
            assert "#q" not in page or window.until("return document.querySelector('.dpkb-search__id')")
            window.run(axe)
            window.run(AXE)
            assert window.until("return window.dpkbAxe !== null"), page
            assert window.run("return window.dpkbAxe") == [], page


def test_the_filter_stands_in_the_address(window, html, served):
    shown = (
        "return [...document.querySelectorAll('#dpkb-filter ~ * tbody tr:not([hidden])')]"
        ".map((row) => row.cells[0].textContent.trim() + ' ' + row.cells[2].textContent)"
    )
    for base in (html.as_uri(), served):
        window.open(f"{base}/index.html?kind=hangs&family=DP")
        rows = window.until(shown)
        assert rows and all(re.fullmatch(r"DP\d+ hangs", row) for row in rows)
        assert f"{len(rows)} of " in window.run("return document.querySelector('#dpkb-filter output').value")
        window.run(
            "const e = document.querySelector('#dpkb-filter [name=kind]'); e.value = 'memory';"
            "e.dispatchEvent(new Event('input', {bubbles: true}))"
        )
        assert window.until("return location.search === '?kind=memory&family=DP'")
        rows = window.run(shown)
        assert rows and all(re.fullmatch(r"DP\d+ memory", row) for row in rows)
        window.open(f"{base}/index.html?torch=1.7")
        assert window.until(shown + ".length === 0") is not None
        window.open(f"{base}/index.html?torch=2.4.1")
        assert len(window.run(shown)) > 50


def test_the_filter_by_torch_agrees_with_the_command_line(window, tmp_path):
    ranges = [
        ">=1.8",
        "<2.4",
        ">=1.9,<2.5",
        "==2.0.1",
        "!=2.0.1",
        "==2.4.*",
        "!=2.4.*",
        "~=2.4.1",
        "~=2.4",
        ">2.4",
        "<=2.4",
    ]
    for number, wanted in enumerate(ranges, 1):
        text = ENTRY.format(id=f"ZZ{number}", shows="wrong-result", extra="", symptom="It is there.")
        text = text.replace('affects: {torch: ">=1.8"}', f'affects: {{torch: "{wanted}", os: linux}}')
        text = text.replace("shows: wrong-result", 'shows: wrong-result\n    torch: "<2.15"', number % 2)
        write_catalogue(tmp_path / "catalogue", f"ZZ{number}", entry=text)
    catalogue = load([tmp_path / "catalogue"])
    assert len(catalogue.entries) == len(ranges), catalogue.problems
    site.write(catalogue, [], tmp_path / "pages")
    page = build(tmp_path / "pages", tmp_path / "out").as_uri() + "/index.html"
    for torch in (
        "1.7",
        "1.8.1",
        "1.9",
        "2.0.1",
        "2.4",
        "2.4.0",
        "2.4.1",
        "2.4.2",
        "2.5.1",
        "2.10",
        "2.15",
        "2.4.1+cu121",
        "3.0",
    ):
        window.open(f"{page}?torch={quote(torch)}")
        ids = window.run(
            "return [...document.querySelectorAll('#dpkb-filter ~ * tbody tr:not([hidden])')]"
            ".map((row) => row.cells[0].textContent.trim())"
        )
        assert ids == [e.id for e in catalogue if e.affects_versions({"torch": torch})], torch


def test_without_javascript_the_list_still_serves(html, served):
    browser.skip_if(browser.explain_missing())
    with browser.Browser(width=360) as other:
        other.call_devtools("Emulation.setScriptExecutionDisabled", value=True)
        for base in (html.as_uri(), served):
            other.go(f"{base}/index.html")
            assert other.until("return document.body?.innerText.includes('The search needs JavaScript')")
            rows = other.run("return [...document.querySelectorAll('tbody tr')].map((row) => row.innerText)")
            assert len(rows) == len(load([ROOT]).entries) and all(rows)
            assert not other.run("return document.querySelector('button, select, textarea')")
            other.go(f"{base}/entries/dp15.html")
            assert other.until("return document.querySelector('h1')?.innerText.startsWith('DP15')")
            assert other.run("return document.querySelector('#diff ~ .highlight').innerText").strip()


def test_the_copy_button_copies_the_code_of_in_short(window, served):
    window.open(f"{served}/entries/dp12.html")
    pre = "document.querySelector('.answer .short .highlight pre')"
    shown = window.run(f"return {pre}.textContent")
    # A headless window has no clipboard to read: the test replaces the function that writes to it.
    window.run(
        "window.dpkbCopied = null; navigator.clipboard.writeText = async (t) => { dpkbCopied = t; };"
        f"{pre}.parentElement.querySelector('button.copy').click()"
    )
    assert window.until("return window.dpkbCopied") == shown.rstrip("\n")
    assert window.until(f"return {pre}.parentElement.querySelector('button.copy').textContent === 'Copied'")
    # If navigator.clipboard is refused, as on file:// pages, document.execCommand is used.
    window.run(
        "window.dpkbOld = null; navigator.clipboard.writeText = () => Promise.reject(new Error('no'));"
        "document.execCommand = (name) => (dpkbOld = name + document.activeElement.value, true);"
        f"{pre}.parentElement.querySelector('button.copy').click()"
    )
    assert window.until("return window.dpkbOld") == "copy" + shown.rstrip("\n")


PLACES = """const page = document.querySelector(".answer"), at = (name) => {
  const section = page.querySelector(name);
  return section && section.getBoundingClientRect();
};
const [short, cases, check] = [".short", ".cases table", ".check"].map(at);
return [short.bottom, cases ? cases.bottom : 0, check.top, short.top];"""


def test_the_answer_is_on_the_first_screen(window, html):
    """In short and the start of the check on every page, most tables of cases; In short on a phone."""
    pages, late, long_tables = sorted((html / "entries").glob("*.html")), [], []
    # Each page is loaded at each width: loaded wide and made narrow, it would be laid out differently.
    for width in (1400, 360):
        look(window, width, "light")
        for page in pages:
            window.open(page.as_uri())
            short, cases, check, start = window.run(PLACES)
            if start > 400 if width == 360 else short > 900 or check > 800:
                late.append((width, page.name, short, check, start))
            long_tables += [(page.name, cases)] if width == 1400 and cases > 900 else []
    assert late == []
    assert len(long_tables) <= len(pages) / 4, long_tables


def test_the_choice_of_colours_is_kept(window, html):
    look(window, 1000, "light")
    window.open(f"{html.as_uri()}/index.html")
    window.run("localStorage.clear()")
    for words, ground in (("Colours: light", "light"), ("Colours: dark", "dark")):
        window.run("document.querySelector('button.scheme').click()")
        assert window.run("return document.querySelector('button.scheme').textContent") == words
        window.open(f"{html.as_uri()}/entries/dp1.html")
        assert window.run(GROUND) == GROUNDS[ground]
        assert window.run("return document.querySelector('button.scheme').textContent") == words
    window.run("document.querySelector('button.scheme').click()")
    assert window.run(GROUND) == GROUNDS["light"]
    assert window.run("return localStorage.getItem('dpkb-scheme')") == ""


def test_the_choice_of_chinese_is_kept(window, html):
    entry = load([ROOT]).find_entry("DP15")
    look(window, 1000, "light")
    window.open(f"{html.as_uri()}/index.html#q=bus%20error")
    window.run("localStorage.clear()")
    hit = "return document.querySelector('.dpkb-search__hits li')?.innerText"
    assert entry.title in window.until(hit)
    window.run("document.querySelector('button.language').click()")
    assert entry.title_zh in window.run(hit) and entry.summary_zh in window.run(hit)
    assert entry.title not in window.run(hit)
    assert entry.title_zh in window.run("return document.querySelector('table').closest('main').innerText")
    window.open(f"{html.as_uri()}/entries/dp15.html")
    assert window.run("return document.querySelector('h1').innerText").startswith(f"DP15 · {entry.title_zh}")
    assert entry.summary_zh in window.run("return document.querySelector('.short').innerText")
    window.run("document.querySelector('button.language').click()")
    assert window.run("return document.querySelector('h1').innerText").startswith(f"DP15 · {entry.title}")
    assert entry.summary_zh not in window.run("return document.querySelector('.short').innerText")


def test_what_is_wide_scrolls_by_the_keyboard(window, html):
    look(window, 360, "light")
    window.open(f"{html.as_uri()}/matrix.html")
    assert window.run(
        "const b = document.querySelector('.scroll'); return [b.tabIndex, b.scrollWidth > 360]"
    ) == [0, True]
    look(window, 1600, "light")
    window.open(f"{html.as_uri()}/families/DP.html")
    assert window.run("return document.querySelector('.scroll').tabIndex") == -1


@pytest.mark.parametrize(
    ("page", "most"),
    [
        ("index.html", 600_000),
        ("entries/dp1.html", 300_000),
        ("entries/dp2.html", 300_000),
        ("matrix.html", 300_000),
        ("families/DP.html", 300_000),
    ],
)
def test_a_page_is_light_where_nothing_is_compressed(window, served, page, most):
    """All that Chromium fetches, with its headers; of the start page with the search data."""
    window.call_devtools("Network.setCacheDisabled", cacheDisabled=True)
    window.take_transfers()
    window.open(f"{served}/{page}" + ("#q=bus%20error" if page == "index.html" else ""))
    if page == "index.html":
        assert window.until("return document.querySelector('.dpkb-search__id')?.textContent") == "DP15"
    files = [page, "assets/site.css", "assets/page.js", "assets/scheme.js"]
    if page == "index.html":
        files += [
            "assets/search-rank.js",
            "assets/search-diagnose.js",
            "assets/search.js",
            "assets/search-data.js",
            "assets/filter.js",
        ]
    expected = {f"{served}/{file}" for file in files}
    carried, end = {}, time.monotonic() + 60
    while not expected <= set(carried) and time.monotonic() < end:
        carried |= window.take_transfers()
    assert expected <= set(carried)
    assert (f"{served}/assets/search-data.js" in carried) == (page == "index.html")
    assert sum(carried.values()) <= most, carried


def test_only_a_sheet_and_a_short_script_hold_the_first_picture_back(window, served):
    window.open(f"{served}/entries/dp1.html")
    blocking = window.run(
        "return performance.getEntriesByType('resource')"
        ".filter((one) => one.renderBlockingStatus === 'blocking').map((one) => one.name)"
    )
    assert sorted(blocking) == [f"{served}/assets/scheme.js", f"{served}/assets/site.css"]
