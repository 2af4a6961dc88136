"""The site: a page for every entry, links that resolve, hostile entries, nothing from elsewhere."""

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from support import ENTRY, ROOT, browser, markup_policy, write_catalogue
from support.html_tags import Tags
from support.mkdocs import build
from support.results import HERE, result

from dpkb.catalogue.load import load
from dpkb.errors import DpkbError, UsageError
from dpkb.evidence import store
from dpkb.model import Outcome
from dpkb.run_records import Verdict
from tools.site import pages as site

browser.find_package("mkdocs")

LOADS = {
    "script": "src",
    "img": "src",
    "iframe": "src",
    "link": "href",
    "source": "src",
    "video": "src",
    "audio": "src",
    "object": "data",
    "embed": "src",
    "input": "src",
    "form": "action",
    "base": "href",
}


@pytest.fixture(scope="module")
def catalogue_here():
    return load([ROOT])


@pytest.fixture(scope="module")
def pages(built_site):
    return built_site.pages


@pytest.fixture
def pages_of(tmp_path):
    """The pages of a catalogue of one entry: pages_of(symptom=...) -> the folder of the pages."""

    def make(observed=None, **more):
        folder = write_catalogue(tmp_path / "catalogue", **more)
        catalogue = load([folder])
        assert catalogue.entries, catalogue.problems
        if observed:
            record(catalogue, folder, observed)
        site.write(catalogue, store.load(folder), tmp_path / "pages")
        return tmp_path / "pages"

    return make


def record(catalogue, folder, observed, verdict=Verdict.CONFIRMED):
    (entry,) = catalogue
    runs = [
        result("broken", verdict, id=entry.id, observed=observed),
        result("fixed", verdict, id=entry.id, observed=observed, outcome=Outcome.HEALTHY),
    ]
    store.record(runs, HERE, [entry], folder, "2026-01-02")


# -- the files ----------------------------------------------------------------------------------


def test_every_entry_has_its_pages(pages, catalogue_here):
    for entry in catalogue_here:
        text = (pages / f"entries/{entry.id.lower()}.md").read_text()
        for heading in ("symptom", "fix", "why-it-happens", "diff", "evidence", "sources", "run"):
            assert f'<h2 id="{heading}">' in text, f"{entry.id}: {heading}"
        answer = text.partition('<div class="answer">')[2].partition('<h2 id="symptom">')[0]
        order = [
            answer.index(f'<h2 id="{name}">')
            for name in (
                "in-short",
                *(["which-case-is-yours"] if entry.find_section("Which case is yours?") else []),
                "how-to-check-your-own-code",
            )
        ]
        assert order == sorted(order) and text.index('class="answer"') < text.index('<h2 id="symptom">')
        shown = words_of(text)
        for script in entry.scripts:
            assert f'<h3 id="{script.name}">' in text, f"{entry.id}: {script.name}"
            assert "".join(script.path.read_text().split()) in shown, f"{entry.id}: {script.name}"
        assert (pages / f"raw/{entry.id}.md.txt").read_text() == entry.path.read_text()
        assert f'<a href="entries/{entry.id.lower()}.html">{entry.id}</a>' in (pages / "index.md").read_text()
        assert f"raw/{entry.id}.md.txt" in (pages / "llms.txt").read_text()
    for letters in catalogue_here.families:
        assert (pages / f"families/{letters}.md").exists()


def words_of(page):
    """All text of a page without its white space."""
    return "".join(Tags(page).text.split())


def test_the_start_page_has_the_search_and_the_list(pages, catalogue_here):
    text = (pages / "index.md").read_text()
    assert '<div id="dpkb-search" data-index="assets/search-data.js"><noscript>' in text
    assert text.count('<tr><td><a href="entries/') == len(catalogue_here.entries)
    for asset in site.ASSETS.iterdir():
        assert (pages / "assets" / asset.name).read_bytes() == asset.read_bytes()


def test_catalog_json_keeps_its_schema(pages, catalogue_here):
    browser.find_package("jsonschema")
    import jsonschema

    document = json.loads((pages / "catalog.json").read_text())
    schema = json.loads((pages / "catalog.schema.json").read_text())
    jsonschema.Draft202012Validator.check_schema(schema)
    jsonschema.validate(document, schema)
    assert [e["id"] for e in document["entries"]] == list(catalogue_here.entries)
    assert str(ROOT) not in (pages / "catalog.json").read_text()
    for entry in document["entries"]:
        for script in entry["scripts"].values():
            page, _, anchor = script["path"].partition("#")
            assert f'id="{anchor}"' in (pages / page).with_suffix(".md").read_text()


def test_what_machines_read_has_the_answer_who_finds_it_and_the_versions(pages, catalogue_here):
    document = json.loads((pages / "catalog.json").read_text())
    items = (pages / "llms.txt").read_text().split("\n- [")[1:]
    assert len(items) == len(document["entries"]) == len(catalogue_here.entries)
    for entry, item in zip(document["entries"], items, strict=True):
        assert item.startswith(f"{entry['id']}: ")
        # Markdown takes indented lines for parts of the item.
        assert all(
            f"  {line}" in item.splitlines() for line in entry["sections"]["In short"].splitlines() if line
        )
        for name, certainty in entry["found_by"].items():
            assert f"dpkb {name} finds it ({certainty})" in item
        by_state = {}
        for name, state in entry["states"].items():
            by_state.setdefault(state, set()).add(name.split("-")[0])
        assert {state: set(versions) for state, versions in entry["recorded"].items()} == by_state
        for state, versions in entry["recorded"].items():
            assert f"{state} on torch {', '.join(versions)}" in item
    assert any(entry["found_by"] for entry in document["entries"])


@pytest.mark.slow
def test_the_same_pages_are_written_again(pages, catalogue_here, tmp_path):
    site.write(catalogue_here, store.load(ROOT), tmp_path / "again")
    names = sorted(p.relative_to(pages) for p in pages.rglob("*") if p.is_file())
    assert names == sorted(
        p.relative_to(tmp_path / "again") for p in (tmp_path / "again").rglob("*") if p.is_file()
    )
    assert len(names) > 2 * len(catalogue_here.entries)
    assert all((pages / name).read_bytes() == (tmp_path / "again" / name).read_bytes() for name in names)


def test_entries_whose_failure_is_best_seen_have_a_picture(pages):
    drawn = {page.stem for page in (pages / "entries").iterdir() if "<svg" in page.read_text()}
    assert {
        "dp1",
        "dp2",
        "dp3",
        "dp5",
        "dp9",
        "dp11",
        "dp17",
        "d22",
        "c13",
        "t4",
        "t5",
        "t6",
        "t7",
        "t8",
        "u24",
    } <= drawn
    assert "#ff0a00" in (page := (pages / "entries/dp11.md").read_text()) and ">cv2</text>" in page


def test_a_recorded_run_is_shown_and_drawn(pages_of):
    grid = [[7, 7], [7, 9]]
    pages = pages_of(observed={"healthy": False, "distinct": 2, "crop_by_worker_and_epoch": grid})
    text = (pages / "entries/zz1.md").read_text()
    assert (
        "Result: <strong>wrong result</strong>; distinct: 2; crop by worker and epoch: 7, 7 | 7, 9 "
        "(torch 2.4.1, Python 3.11.7, linux, 2026-01-02, confirmed)." in text
    )
    assert "<p>Seen on torch 2.4.1; last run 2026-01-02.</p><details>" in text
    assert "<td>torch 2.4.1, Python 3.11.7, linux</td><td>affected: the failure and its fix" in text
    assert text.count('class="cell same0"') == 2 * 3 and text.count('class="cell"') == 2 * 1
    assert "<tr><td>worker 1</td><td>7</td><td>9</td></tr>" in text
    assert "✓ affected" in (pages / "matrix.md").read_text()


def test_a_run_that_disagrees_is_not_folded_away(tmp_path):
    folder = write_catalogue(tmp_path / "catalogue")
    record(load([folder]), folder, {"healthy": False}, Verdict.REFUTED)
    site.write(load([folder]), store.load(folder), tmp_path / "pages")
    text = (tmp_path / "pages/entries/zz1.md").read_text()
    row = "<td>a run disagrees with this entry</td><td>2026-01-02</td>"
    assert row in text and "<details>" not in text.partition(row)[0]
    assert "Seen on torch" not in text


def test_each_script_is_read_once_for_a_build(tmp_path, monkeypatch):
    from dpkb import files

    folder = write_catalogue(tmp_path / "catalogue")
    record(load([folder]), folder, {"healthy": False})
    catalogue, evidence = load([folder]), store.load(folder)
    read, read_bytes = [], files.read_bytes
    monkeypatch.setattr(files, "read_bytes", lambda *args: read.append(args[0].name) or read_bytes(*args))
    site.write(catalogue, evidence, tmp_path / "pages")
    assert sorted(name for name in read if name.endswith(".py")) == ["broken.py", "fixed.py"]


def test_the_runs_of_two_catalogues_under_one_environment_are_one_column(tmp_path):
    folders = [write_catalogue(tmp_path / name, entry_id) for name, entry_id in (("a", "ZZ1"), ("b", "ZZ2"))]
    for folder in folders:
        record(load([folder]), folder, {"healthy": False})
    site.write(load(folders), store.load(*folders), tmp_path / "pages")
    matrix = (tmp_path / "pages/matrix.md").read_text()
    assert "<th>entry</th><th>torch 2.4.1, Python 3.11.7, linux</th>" in matrix
    assert matrix.count("<td>✓ affected</td>") == 2
    (folders[0] / "reproducers/zz1_made/broken.py").write_text("changed = True\n")
    site.write(load(folders), store.load(*folders), tmp_path / "pages")
    assert (tmp_path / "pages/matrix.md").read_text().count("<td>✓ affected</td>") == 1


def test_an_entry_without_a_run_says_so(pages_of):
    pages = pages_of()
    assert "No run of this entry is recorded yet." in (pages / "entries/zz1.md").read_text()


def test_an_entry_that_nothing_sees_says_why(pages_of):
    text = ENTRY.format(id="ZZ1", shows="wrong-result", extra="", symptom="It was there.")
    pages = pages_of(entry=text.replace("kind: silent", "kind: silent\nunseen: it leaves <no> trace."))
    page = (pages / "entries/zz1.md").read_text()
    assert "Neither lint nor audit finds it: it leaves &lt;no&gt; trace." in page


def test_a_withdrawn_entry_keeps_its_page(pages_of):
    text = ENTRY.format(id="ZZ1", shows="wrong-result", extra="", symptom="It was there.")
    withdrawn = "kind: silent\nwithdrawn: no torch does this any more"
    pages = pages_of(entry=text.replace("kind: silent", withdrawn))
    page = (pages / "entries/zz1.md").read_text()
    assert "<strong>Withdrawn.</strong> no torch does this any more" in page
    assert "(withdrawn)" in (pages / "index.md").read_text()
    assert (pages / "raw/ZZ1.md.txt").exists()
    assert json.loads((pages / "catalog.json").read_text())["entries"][0]["withdrawn"]


def test_a_folder_with_something_else_is_left_alone(tmp_path):
    mine = tmp_path / "mine"
    mine.mkdir()
    (mine / "work.txt").write_text("mine")
    catalogue = load([write_catalogue(tmp_path / "catalogue")])
    for folder, why in ((mine, "name another folder"), (mine / "work.txt", "is a file")):
        with pytest.raises(UsageError, match=why):
            site.write(catalogue, [], folder)
    assert (mine / "work.txt").read_text() == "mine"
    for _ in range(2):
        site.write(catalogue, [], tmp_path / "new" / "pages")
        assert (tmp_path / "new/pages/index.md").exists()


def test_an_entry_that_is_gone_since_the_catalogue_was_loaded_is_named(tmp_path):
    catalogue = load([write_catalogue(tmp_path / "catalogue")])
    catalogue.find_entry("ZZ1").path.unlink()
    with pytest.raises(DpkbError, match=r"zz1_made\.md: cannot be read"):
        site.write(catalogue, [], tmp_path / "pages")


# -- as HTML ----------------------------------------------------------------------------------------


def test_a_hostile_entry_stays_text_in_html(pages_of, tmp_path):
    evil = "<script>alert(1)</script><img src=x onerror=alert(1)>"
    symptom = f"{evil}\n\n`{evil}`\n\n```{evil}\n{evil}\n```"
    text = ENTRY.format(id="ZZ1", shows="wrong-result", extra="", symptom=symptom)
    for key in ("title: A", "summary: It", "claim: it", "title: a"):
        text = text.replace(key, f"{key} {evil}")
    text = text.replace("confused_with: []", f'confused_with: []\nwithdrawn: "{evil}"')
    pages = pages_of(entry=text, observed={"healthy": False, evil: evil, f"{evil}_by_rank": [evil, 1]})
    out = build(pages, tmp_path / "out")
    for page in out.rglob("*.html"):
        tags = Tags(page.read_text()).tags
        assert not [t for t, a in tags if t == "img" and a.get("src") == "x"], page
        assert not [a for _, attributes in tags for a in attributes if a.startswith("on")], page
        assert all("src" in a for t, a in tags if t == "script"), page
        assert markup_policy.find_page_faults(page.read_text()) == [], page
    assert evil in Tags((out / "entries/zz1.html").read_text()).text


@pytest.fixture(scope="module")
def html(built_site):
    """The built site, with files of each kind for the tests that go through all of them."""
    pages, out = built_site
    assert len(list(out.rglob("*.html"))) > len(list(pages.glob("entries/*.md"))) > 50
    assert list(out.rglob("*.css"))
    return out


@pytest.mark.slow
def test_the_whole_site_builds_strictly_and_loads_nothing_from_elsewhere(html, catalogue_here):
    for page in html.rglob("*.html"):
        for tag, attributes in Tags(page.read_text()).tags:
            address = attributes.get(LOADS.get(tag, ""), "") or ""
            assert not re.match(r"(https?:)?//", address), f"{page}: {tag} {address}"
            if address and tag in ("script", "img") and page.name != "404.html":
                assert (page.parent / address).exists(), f"{page}: {address}"
    for sheet in html.rglob("*.css"):
        assert not re.search(r"url\(\s*['\"]?(https?:)?//|@import", sheet.read_text()), sheet


@pytest.mark.slow
def test_the_built_site_has_allowed_tags_alone(html):
    assert list(markup_policy.find_site_faults(html)) == []


@pytest.mark.slow
def test_nothing_but_the_assets_is_javascript(html):
    """A page's policy lets it load any script of its site, so no other file may be a script."""
    node = shutil.which("node")
    browser.skip_if("" if node else "no node here: apt-get install nodejs")
    others = [
        path
        for path in html.rglob("*")
        if path.is_file() and path.suffix not in (".html", ".js", ".css", ".gz")
    ]
    assert {path.suffix for path in others} >= {".txt", ".json"}
    check = """const vm = require("vm"), fs = require("fs");
    for (const path of process.argv.slice(1)) {
      let runs = true;
      try { new vm.Script(fs.readFileSync(path, "utf8")); } catch { runs = false; }
      if (runs) console.log(path);
    }"""
    done = subprocess.run([node, "-e", check, *map(str, others)], capture_output=True, text=True, check=True)
    assert done.stdout == ""
    assert not list(html.rglob("*.py*"))


@pytest.mark.slow
def test_pages_are_small_and_under_a_policy(html, catalogue_here):
    for entry in catalogue_here:
        page = html / f"entries/{entry.id.lower()}.html"
        text = page.read_text()
        assert page.stat().st_size < 300_000
        assert "'unsafe-inline'" not in text and "<style" not in text
        for tag, attributes in Tags(text).tags:
            assert "style" not in attributes and (tag != "script" or attributes.get("src")), (page, tag)


@pytest.mark.slow
def test_every_page_has_the_policy_first_of_all(html):
    for page in html.rglob("*.html"):
        asked = [
            (tag, a.get("http-equiv"), a.get("content", ""))
            for tag, a in Tags(page.read_text()).tags
            if tag in ("link", "script", "style", "img", "body") or "http-equiv" in a
        ]
        assert asked[0][:2] == ("meta", "Content-Security-Policy"), page
        assert asked[0][2].startswith("default-src 'none'") and "unsafe" not in asked[0][2], page


@pytest.mark.slow
def test_links_of_the_html_resolve(html):
    ids = {}
    for page in html.rglob("*.html"):
        for tag, attributes in Tags(page.read_text()).tags:
            target = attributes.get("href") or ""
            if tag != "a" or page.name == "404.html" or re.match(r"[a-z]+:|#q=|$", target):
                continue
            path, _, anchor = target.partition("#")
            there = (page.parent / path).resolve() if path else page
            there = there / "index.html" if there.is_dir() else there
            assert there.exists(), f"{page}: {target}"
            if anchor and there.suffix == ".html":
                if there not in ids:
                    ids[there] = {a["id"] for _, a in Tags(there.read_text()).tags if "id" in a}
                assert anchor in ids[there], f"{page}: {target}"


@pytest.mark.slow
def test_the_successor_of_mkdocs_builds_the_same(pages, html, catalogue_here, tmp_path):
    """zensical builds the same pages from the same mkdocs.yml, except for the `./` of their addresses."""
    browser.find_package("zensical")
    shutil.copy(ROOT / "mkdocs.yml", tmp_path)
    shutil.copytree(ROOT / "site_theme", tmp_path / "site_theme")
    shutil.copytree(pages, tmp_path / "build/pages")
    done = subprocess.run(
        [Path(sys.executable).parent / "zensical", "build"],
        cwd=tmp_path,
        text=True,
        capture_output=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    built = sorted(page.relative_to(html) for page in html.rglob("*.html"))
    assert len(built) > len(catalogue_here.entries)
    for page in built:
        there = (tmp_path / "site" / page).read_text().replace('="./', '="')
        assert there == (html / page).read_text(), page
    for name in ("catalog.json", "llms.txt", "assets/site.css"):
        assert (tmp_path / "site" / name).read_bytes() == (pages / name).read_bytes(), name


# -- once it is published -----------------------------------------------------------------------


def test_addresses_stand_on_a_page_only_once_they_are_set(tmp_path):
    catalogue = load([write_catalogue(tmp_path / "catalogue")])
    site.write(catalogue, [], tmp_path / "pages")
    plain = build(tmp_path / "pages", tmp_path / "plain", SITE_URL="", REPO_URL="")
    text = (plain / "entries/zz1.html").read_text()
    assert "canonical" not in text and "og:url" not in text and "Edit this page" not in text
    home, repository = "https://example.org/dpkb", "https://example.org/owner/dpkb"
    out = build(tmp_path / "pages", tmp_path / "out", SITE_URL=home, REPO_URL=repository)
    text = (out / "entries/zz1.html").read_text()
    page = f"{home}/entries/zz1.html"
    assert f'<link rel="canonical" href="{page}">' in text
    assert f'<meta property="og:url" content="{page}">' in text and 'content="summary"' in text
    links = dict(re.findall(r'<a href="([^"]+)">([^<]+)</a>', text.partition("<footer>")[2]))
    assert links[repository] == "Source"
    assert links[f"{repository}/issues/new/choose"] == "Report a wrong or missing failure"
    assert links[f"{repository}/edit/main/kb/zz1_made.md"] == "Edit this page"
    assert "Edit this page" not in (out / "index.html").read_text()
    assert page in (out / "sitemap.xml").read_text()
    assert "/dpkb/assets/site.css" in (out / "404.html").read_text()
    for folder in (plain, out):
        assert list(markup_policy.find_site_faults(folder)) == []
