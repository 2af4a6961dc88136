"""The site: a page for every entry, links that resolve, text that stays text, nothing from elsewhere."""

import json
import re
import shutil
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path

import browser
import pytest
import yaml
from conftest import ENTRY, ROOT, write_catalogue
from hypothesis import example, given, settings
from hypothesis import strategies as st

from dpkb import evidence, site, site_feed, site_text
from dpkb.catalogue import load
from dpkb.entry import Environment, Outcome, Result, Verdict

browser.package("markdown")

import markdown  # noqa: E402

CONFIG = (ROOT / "mkdocs.yml").read_text()
LOADS = {"script": "src", "img": "src", "iframe": "src", "link": "href", "source": "src", "video": "src",
         "audio": "src", "object": "data", "embed": "src", "input": "src", "form": "action", "base": "href"}


class Tags(HTMLParser):
    """Every tag of a page with its attributes, and all of its text."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.text = [], ""
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))

    handle_startendtag = handle_starttag

    def handle_data(self, data):
        self.text += data


def build(pages, out, *more):
    """What mkdocs makes of the pages, by the site's own configuration."""
    config = pages.parent / "mkdocs.yml"
    text = CONFIG.replace("docs_dir: build/pages", f"docs_dir: {pages}").replace("site_dir: site",
                                                                               f"site_dir: {out}")
    config.write_text(text.replace("custom_dir: site_theme", f"custom_dir: {ROOT / 'site_theme'}"))
    done = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--config-file", str(config), *more],
        capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return out


@pytest.fixture(scope="module")
def catalogue_here():
    return load([ROOT])


@pytest.fixture(scope="module")
def pages(tmp_path_factory, catalogue_here):
    folder = tmp_path_factory.mktemp("site") / "pages"
    site.write(catalogue_here, evidence.load(ROOT), folder, site_feed.read(ROOT))
    return folder


@pytest.fixture
def made(tmp_path):
    """The pages of a catalogue of one made entry: made(symptom=...) -> the folder of the pages."""
    def make(observed=None, **more):
        folder = write_catalogue(tmp_path / "made", **more)
        catalogue = load([folder])
        assert catalogue.entries, catalogue.problems
        if observed:
            record(catalogue, folder, observed)
        site.write(catalogue, evidence.load(folder), tmp_path / "pages")
        return tmp_path / "pages"

    return make


def record(catalogue, folder, observed, verdict=Verdict.CONFIRMED):
    here = Environment("/usr/bin/python", "3.11.7", "2.4.1", None, "linux", "cpu")
    (entry,) = catalogue
    runs = [Result(entry.id, name, "claim", outcome, verdict, "", "", True, observed, 1.0)
            for name, outcome in (("broken", Outcome.WRONG_RESULT), ("fixed", Outcome.HEALTHY))]
    evidence.record(runs, here, [entry], folder, "2026-01-02")


# -- what is there ----------------------------------------------------------------------------------


def test_every_entry_has_its_pages(pages, catalogue_here):
    for entry in catalogue_here:
        text = (pages / f"entries/{entry.id.lower()}.md").read_text()
        for heading in ("affected", "symptom", "root-cause", "fix", "diff", "proofs", "sources", "run"):
            assert f" {{#{heading}}}\n" in text, f"{entry.id}: {heading}"
        for script in entry.scripts:
            assert f" {{#{script.name}}}\n" in text and f"[source](../{site.script_address(script)})" in text
            assert (pages / site.script_address(script)).read_text() == script.path.read_text()
        assert (pages / f"raw/{entry.id}.md.txt").read_text() == entry.path.read_text()
        for name in (entry.id, entry.id.lower()):
            assert f"url=../entries/{entry.id.lower()}.html" in (pages / f"id/{name}.html").read_text()
        assert f"[{entry.id}](entries/{entry.id.lower()}.md)" in (pages / "index.md").read_text()
        assert f"raw/{entry.id}.md.txt" in (pages / "llms.txt").read_text()
    for letters in catalogue_here.families:
        assert (pages / f"families/{letters}.md").exists()


def test_links_between_pages_resolve(pages):
    for page in pages.rglob("*.md"):
        for target in re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", page.read_text()):
            if "`" not in target and re.search(r"\.(md|txt|json|xml)$", target):
                assert (page.parent / target).exists(), f"{page.name}: {target}"


def test_the_start_page_has_the_search_and_the_list(pages, catalogue_here):
    text = (pages / "index.md").read_text()
    assert '<div id="dpkb-search" data-index="assets/search-data.js"><noscript>' in text
    assert len(re.findall(r"^\| \[", text, re.MULTILINE)) == len(catalogue_here.entries)
    for asset in site.ASSETS.iterdir():
        assert (pages / "assets" / asset.name).read_bytes() == asset.read_bytes()


def test_catalog_json_keeps_its_schema(pages, catalogue_here):
    browser.package("jsonschema")
    import jsonschema

    told = json.loads((pages / "catalog.json").read_text())
    schema = json.loads((pages / "catalog.schema.json").read_text())
    jsonschema.Draft202012Validator.check_schema(schema)
    jsonschema.validate(told, schema)
    assert [e["id"] for e in told["entries"]] == list(catalogue_here.entries)
    assert str(ROOT) not in (pages / "catalog.json").read_text()
    for entry in told["entries"]:
        assert all((pages / script["path"]).exists() for script in entry["scripts"].values())


def test_the_same_pages_are_written_again(pages, catalogue_here, tmp_path):
    site.write(catalogue_here, evidence.load(ROOT), tmp_path / "again", site_feed.read(ROOT))
    names = sorted(p.relative_to(pages) for p in pages.rglob("*") if p.is_file())
    assert names == sorted(p.relative_to(tmp_path / "again") for p in (tmp_path / "again").rglob("*")
                           if p.is_file())
    assert all((pages / name).read_bytes() == (tmp_path / "again" / name).read_bytes() for name in names)


def test_a_recorded_run_is_told_and_drawn(made):
    grid = [[7, 7], [7, 9]]
    pages = made(observed={"healthy": False, "distinct": 2, "crop_by_worker_and_epoch": grid})
    text = (pages / "entries/x1.md").read_text()
    assert "Seen: <strong>wrong result</strong>; distinct: 2; crop by worker and epoch: 7, 7 &#124; 7, 9. " \
           "torch 2.4.1, Python 3.11.7, linux, 2026-01-02; confirmed." in text
    assert "\n\nSeen on torch 2.4.1; last run 2026-01-02.\n\n??? note" in text
    assert "\n    | torch 2.4.1, Python 3.11.7, linux | affected: the failure and its fix were seen |" in text
    assert text.count('class="cell same0"') == 2 * 3 and text.count('class="cell"') == 2 * 1
    assert "    | worker 1 | 7 | 9 |" in text
    assert "✓ affected" in (pages / "matrix.md").read_text()


def test_a_run_that_disagrees_stands_in_sight(tmp_path):
    folder = write_catalogue(tmp_path / "made")
    record(load([folder]), folder, {"healthy": False}, Verdict.REFUTED)
    site.write(load([folder]), evidence.load(folder), tmp_path / "pages")
    text = (tmp_path / "pages/entries/x1.md").read_text()
    assert "\n| torch 2.4.1, Python 3.11.7, linux | a run disagrees with this entry | 2026-01-02 |" in text
    assert "Seen on torch" not in text


def test_the_runs_of_two_catalogues_under_one_environment_are_one_column(tmp_path):
    folders = [write_catalogue(tmp_path / name, entry_id) for name, entry_id in (("a", "X1"), ("b", "X2"))]
    for folder in folders:
        record(load([folder]), folder, {"healthy": False})
    site.write(load(folders), evidence.load(*folders), tmp_path / "pages")
    matrix = (tmp_path / "pages/matrix.md").read_text()
    assert "| entry | torch 2.4.1, Python 3.11.7, linux |" in matrix
    assert matrix.count("| ✓ affected |") == 2
    (folders[0] / "reproducers/x1_made/broken.py").write_text("changed = True\n")
    site.write(load(folders), evidence.load(*folders), tmp_path / "pages")
    assert (tmp_path / "pages/matrix.md").read_text().count("| ✓ affected |") == 1


def test_without_a_run_that_is_said(made):
    pages = made()
    assert "No run of this entry is recorded yet." in (pages / "entries/x1.md").read_text()


def test_a_withdrawn_entry_keeps_its_page(made):
    text = ENTRY.format(id="X1", shows="wrong-result", extra="", symptom="It was there.")
    pages = made(entry=text.replace("kind: silent", "kind: silent\nwithdrawn: no torch does this any more"))
    page = (pages / "entries/x1.md").read_text()
    assert '!!! warning "Withdrawn"\n\n    no torch does this any more' in page
    assert "(withdrawn)" in (pages / "index.md").read_text()
    assert "url=../entries/x1.html" in (pages / "id/X1.html").read_text()
    assert (pages / "raw/X1.md.txt").exists()
    assert json.loads((pages / "catalog.json").read_text())["entries"][0]["withdrawn"]


def test_a_folder_with_something_else_is_left_alone(dpkb, tmp_path):
    mine = tmp_path / "mine"
    mine.mkdir()
    (mine / "work.txt").write_text("mine")
    done = dpkb("site", "--out", mine)
    assert done.returncode == 2 and "name another folder" in done.stderr and "Traceback" not in done.stderr
    assert (mine / "work.txt").read_text() == "mine"
    done = dpkb("site", "--out", mine / "work.txt")
    assert done.returncode == 2 and "is a file" in done.stderr
    done = dpkb("site", "--out", tmp_path / "new" / "pages")
    assert done.returncode == 0 and (tmp_path / "new/pages/index.md").exists()
    done = dpkb("site", "--out", tmp_path / "new" / "pages")
    assert done.returncode == 0, done.stderr


# -- text stays text --------------------------------------------------------------------------------

HOSTILE = [
    "<script>alert(1)</script>", "<img src=x onerror=alert(1)>", "</code><script>x</script>",
    "[a](javascript:alert(1))", "![a](http://evil.example/a.png)", "<http://evil.example/\"onload=1>",
    "&lt;script&gt;", "&#60;script&#62;", "{: onclick=alert(1) }", "text {onclick=alert(1)}",
    "[x]: javascript:alert(1)\n\n[x]", "!!! danger\n    <b>x</b>", "??? x", "[TOC]", "*[x]: y",
    "\x02wzxhzdk:0\x03",
    "`<script>`", "``<script>` `", "```\n</code></pre><script>\n```", "~~~ {onclick=1}\nx\n~~~",
    "- a\n\n  ```python\n  </pre><script>\n  ```", "a | <i>b</i>\n--- | ---\n<u>c</u> | d", "<!-- x",
    "<![CDATA[", "<?php x", "---\ntitle: x\n---", "    <b>indented</b>", "> <b>quote</b>",
    "# <b>head</b> {#x onclick=1}",
    "a\n<div>\nb", "<details open ontoggle=alert(1)>", "\\<b>x", "*<b>x*", "[<b>x](http://a.example)",
    "1. <b>x", "+ <b>x", "a  \n<b>x", "\u202e<b>", "<b", "a<b\n>c", "``` <script>\nx\n```",
    "```\" onclick=\"1\nx\n```",
]
PIECES = ["DP1", "`broken.py`", "\n", "\n\n", " ", "    ", "- ", "> ", "a", "`", "*", "```\n", "|", "<", "&",
          "\\"]
ALLOWED = {
    "p": set(), "code": {"class"}, "pre": set(), "em": set(), "strong": set(),
    "a": {"href", "rel", "id", "name"},
    "ul": set(), "ol": set(), "li": set(), "h3": {"id"}, "blockquote": set(), "table": set(), "thead": set(),
    "tbody": set(), "tr": set(), "th": set(), "td": set(), "div": {"class"}, "span": {"class"}, "br": set(),
    "hr": set(),
}


def rendered(text):
    """The HTML that the site's own extensions make of Markdown."""
    # The table of contents only adds anchors and permanent links to headings.
    wanted = [e if isinstance(e, dict) else {e: {}} for e in yaml.safe_load(CONFIG)["markdown_extensions"]]
    configs = {name: more for e in wanted for name, more in e.items() if name != "toc"}
    return markdown.markdown(text, extensions=list(configs), extension_configs=configs)


def check_harmless(html):
    for tag, attributes in Tags(html).tags:
        assert tag in ALLOWED and set(attributes) <= ALLOWED[tag], (tag, attributes)
        assert re.match(r"https?://|$|[a-z0-9]+\.md$|#", attributes.get("href") or ""), attributes


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_text_stays_text(text):
    html = rendered(site_text.page_text(text, lambda name: None))
    check_harmless(html)
    inline = rendered(f"## {site_text.escaped(text)} {site_text.code(text)}\n\n"
                      f"{site_text.linked(text, lambda name: None)}")
    check_harmless(inline.replace("<h2>", "").replace("</h2>", ""))


@settings(max_examples=150, deadline=None)
@given(st.lists(st.sampled_from([*HOSTILE, *PIECES]), max_size=8).map("".join))
@example("<script>")
def test_any_mixture_of_hostile_text_stays_text(text):
    check_harmless(rendered(site_text.page_text(text, lambda name: f"{name.lower()}.md", lambda name: "#x")))


@pytest.mark.parametrize("text", [
    "a_b_c *not em* `code` 1 < 2 & 3 > 2", "C++ and __init__ | a", "#1 of 3", "1) one",
    "x ~ y ^ z = {1: [2]}", "- a", "1. b", "say \"it\" — 数据 'so'", "100 % of `x`", "a\\b",
])
def test_plain_text_is_shown_as_it_is(text):
    assert Tags(rendered(site_text.escaped(text))).text.strip() == text


def test_entry_markdown_means_the_same_on_the_page(catalogue_here):
    """The words of every entry come out of the page's processor as they come out of CommonMark."""
    from markdown_it import MarkdownIt

    def words(html):
        return "".join(Tags(html).text.split())

    parser = MarkdownIt("commonmark", {"html": False}).enable("table")
    for entry in catalogue_here:
        for section in entry.sections:
            there = words(rendered(site_text.page_text(section.text, lambda name: None)))
            assert there == words(parser.render(section.text)), f"{entry.id}: {section.heading}"


# -- as HTML ----------------------------------------------------------------------------------------


def test_a_hostile_entry_as_html(made, tmp_path):
    evil = "<script>alert(1)</script><img src=x onerror=alert(1)>"
    symptom = f"{evil}\n\n`{evil}`\n\n```{evil}\n{evil}\n```"
    text = ENTRY.format(id="X1", shows="wrong-result", extra="", symptom=symptom)
    for key in ("title: A", "summary: It", "claim: it", "title: a"):
        text = text.replace(key, f"{key} {evil}")
    text = text.replace("confused_with: []", f'confused_with: []\nwithdrawn: "{evil}"')
    pages = made(entry=text, observed={"healthy": False, evil: evil, f"{evil}_by_rank": [evil, 1]})
    out = build(pages, tmp_path / "out")
    for page in out.rglob("*.html"):
        tags = Tags(page.read_text()).tags
        assert not [t for t, a in tags if t == "img" and a.get("src") == "x"], page
        assert not [a for _, attributes in tags for a in attributes if a.startswith("on")], page
        assert all("src" in a for t, a in tags if t == "script"), page
    assert evil in Tags((out / "entries/x1.html").read_text()).text


@pytest.fixture(scope="module")
def html(pages):
    return build(pages, pages.parent / "out")


@pytest.mark.reproducers
def test_the_whole_site_builds_strictly_and_loads_nothing_from_elsewhere(html, catalogue_here):
    for page in html.rglob("*.html"):
        for tag, attributes in Tags(page.read_text()).tags:
            address = attributes.get(LOADS.get(tag, ""), "") or ""
            assert not re.match(r"(https?:)?//", address), f"{page}: {tag} {address}"
            if address and tag in ("script", "img") and page.name != "404.html":
                assert (page.parent / address).exists(), f"{page}: {address}"
    for sheet in html.rglob("*.css"):
        assert not re.search(r"url\(\s*['\"]?(https?:)?//|@import", sheet.read_text()), sheet


@pytest.mark.reproducers
def test_pages_are_small_and_under_a_policy(html, catalogue_here):
    for entry in catalogue_here:
        page = html / f"entries/{entry.id.lower()}.html"
        text = page.read_text()
        assert page.stat().st_size < 300_000
        assert "'unsafe-inline'" not in text and "<style" not in text
        for tag, attributes in Tags(text).tags:
            assert "style" not in attributes and (tag != "script" or attributes.get("src")), (page, tag)


@pytest.mark.reproducers
def test_every_page_has_the_policy_first_of_all(html):
    for page in html.rglob("*.html"):
        asked = [(tag, a.get("http-equiv"), a.get("content", "")) for tag, a in Tags(page.read_text()).tags
                 if tag in ("link", "script", "style", "img", "body") or "http-equiv" in a]
        assert asked[0][:2] == ("meta", "Content-Security-Policy"), page
        assert asked[0][2].startswith("default-src 'none'") and "unsafe" not in asked[0][2], page


@pytest.mark.reproducers
def test_a_reader_of_feeds_finds_the_feed_on_the_start_page(html):
    (found,) = [a for tag, a in Tags((html / "index.html").read_text()).tags
                if tag == "link" and a["rel"] == "alternate"]
    assert found["type"] == "application/atom+xml" and (html / found["href"]).exists()


@pytest.mark.reproducers
def test_links_of_the_html_resolve(html):
    ids = {}
    for page in html.rglob("*.html"):
        for tag, attributes in Tags(page.read_text()).tags:
            target = attributes.get("href") or ""
            if tag != "a" or page.name == "404.html" or re.match(r"[a-z]+:|$", target):
                continue
            path, _, anchor = target.partition("#")
            there = (page.parent / path).resolve() if path else page
            there = there / "index.html" if there.is_dir() else there
            assert there.exists(), f"{page}: {target}"
            if anchor and there.suffix == ".html":
                known = ids.setdefault(there, {a["id"] for _, a in Tags(there.read_text()).tags if "id" in a})
                assert anchor in known, f"{page}: {target}"


@pytest.mark.reproducers
def test_the_successor_of_mkdocs_builds_the_same(pages, html, catalogue_here, tmp_path):
    """The same mkdocs.yml, by zensical: every page to the letter, but for the `./` of its addresses."""
    browser.package("zensical")
    shutil.copy(ROOT / "mkdocs.yml", tmp_path)
    shutil.copytree(ROOT / "site_theme", tmp_path / "site_theme")
    shutil.copytree(pages, tmp_path / "build/pages")
    done = subprocess.run([Path(sys.executable).parent / "zensical", "build"], cwd=tmp_path, text=True,
                          capture_output=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    built = sorted(page.relative_to(html) for page in html.rglob("*.html"))
    assert len(built) > 3 * len(catalogue_here.entries)
    for page in built:
        there = (tmp_path / "site" / page).read_text().replace('="./', '="')
        assert there == (html / page).read_text(), page
    for name in ("catalog.json", "llms.txt", "feed.xml", "assets/site.css"):
        assert (tmp_path / "site" / name).read_bytes() == (pages / name).read_bytes(), name
