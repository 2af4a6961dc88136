"""The page of one entry: its sections and links, and the numbers and tables of its runs."""

import re
from dataclasses import replace

import pytest
from support import ENTRY, MESSAGES, write_catalogue
from support.results import HERE, result

from dpkb.catalogue.load import load
from dpkb.evidence import store
from dpkb.model import Family, Outcome, SimilarEntry
from dpkb.run_records import Verdict
from tools.site.entry import EntryPage, render_grid, render_observed
from tools.site.recorded_scripts import RecordedScripts

HEALTHY = {"outcome": Outcome.HEALTHY, "seen": "a healthy run"}


@pytest.fixture
def page_of(tmp_path):
    """page_of(run, …, change={…}, **more): the page of an entry with these recorded runs and other fields."""

    def make(*runs, change=None, catalogue=None, **more):
        folder = catalogue or write_catalogue(tmp_path / "catalogue", **more)
        loaded = load([folder])
        assert not loaded.unreadable_count, loaded.problems
        if runs:
            store.record(list(runs), HERE, loaded, folder, "2026-01-02")
        entry = replace(loaded.find_entry("ZZ1"), **(change or {}))
        return EntryPage(entry, loaded, RecordedScripts(loaded, store.load(folder))).render()

    return make


def section(page, anchor):
    """The text below the heading with this anchor."""
    found = re.search(rf'<h2 id="{anchor}">[^\n]*\n(.*?)(?=^  <h2 |\Z)', page, re.DOTALL | re.MULTILINE)
    return found.group(1) if found else None


# -- the answer ---------------------------------------------------------------------------------


def test_a_page_begins_with_its_title_and_facts(page_of):
    page = page_of(change={"title": "`x` < y", "found_by": (("lint", "likely"),)})
    assert page.startswith(
        '---\ntitle: "ZZ1: `x` &lt; y"\ndescription: "It does what the test says, with bool() in experiment() and value=2."\n'
    )
    assert '\n  <h1 id="zz1">ZZ1 · <code>x</code> &lt; y<a class="headerlink" href="#zz1"' in page
    facts = re.search('<p class="facts">(.*)</p>', page).group(1).split(" · ")
    assert facts == ['<strong class="kind">silent</strong>', "affects torch &gt;=1.8", "found by dpkb lint"]


def test_the_facts_link_to_the_evidence_and_to_the_family(page_of, tmp_path):
    folder = write_catalogue(tmp_path / "catalogue")
    catalogue = load([folder])
    catalogue.families["ZZ"] = Family("ZZ", "Tests & more", "A family.", tmp_path, ())
    runs = [result(), result("fixed", **HEALTHY)]
    store.record(runs, HERE, catalogue, folder, "2026-01-02")
    scripts = RecordedScripts(catalogue, store.load(folder))
    page = EntryPage(catalogue.find_entry("ZZ1"), catalogue, scripts).render()
    facts = page.partition('class="facts"')[2].partition("</p>")[0]
    assert '<a href="#evidence">seen on torch 2.4.1; last run 2026-01-02</a>' in facts
    assert '<a href="../families/ZZ.html">Tests &amp; more</a>' in facts


def test_the_answer_has_the_cases_only_if_the_entry_has_them(page_of, tmp_path):
    text = ENTRY.format(id="ZZ1", shows="wrong-result", extra="", symptom="It is there.")
    cases = "## Which case is yours?\n\n| You see | It is | Do |\n|---|---|---|\n| a | b | c |\n\n## Symptom"
    for name, entry, classes in (
        ("without", text, ["short", "check"]),
        ("with", text.replace("## Symptom", cases), ["short", "cases", "check"]),
    ):
        page = page_of(catalogue=write_catalogue(tmp_path / name, entry=entry))
        answer = page.partition('<div class="answer">')[2].partition('<h2 id="symptom">')[0]
        assert re.findall('<section class="([a-z]+)"', answer) == classes
        assert page.index('class="answer"') < page.index('<h2 id="symptom">')


def test_scripts_and_other_entries_are_links_but_not_the_entry_itself(page_of, tmp_path):
    symptom = "As ZZ2 says, see `broken.py` and `other.py`, not ZZ1."
    folder = write_catalogue(tmp_path / "catalogue", symptom=symptom)
    write_catalogue(folder, entry_id="ZZ2")
    symptom = section(page_of(catalogue=folder), "symptom")
    assert 'As <a href="zz2.html">ZZ2</a> says' in symptom
    assert '<a href="#broken"><code>broken.py</code></a>' in symptom
    assert "<code>other.py</code>, not ZZ1" in symptom and symptom.count("<a ") == 2


def test_entries_that_are_like_it_or_belong_to_it_are_named(page_of, tmp_path):
    folder = write_catalogue(tmp_path / "catalogue")
    write_catalogue(folder, entry_id="ZZ2")
    page = page_of(
        catalogue=folder,
        change={"see_also": ("ZZ2", "ZZ9"), "confused_with": (SimilarEntry("ZZ2", "Run *one* batch."),)},
    )
    link = '<a href="zz2.html">ZZ2</a> A failure made for a test'
    assert section(page, "confused").strip() == f"<ul><li>{link} <p>Run <em>one</em> batch.</p></li></ul>"
    # ZZ9 is not in this catalogue.
    assert section(page, "see-also").strip() == f"<ul><li>{link}</li><li>ZZ9</li></ul>"
    alone = page_of(catalogue=folder)
    assert section(alone, "confused") is None and section(alone, "see-also") is None


# -- the evidence -------------------------------------------------------------------------------


def test_each_script_has_its_role_its_claim_and_its_command(page_of):
    trap = """  trap_seed:
    claim: the seed of ZZ1 <b> changes nothing.
    shows: wrong-result
    torch: ">=2"
"""
    text = ENTRY.format(id="ZZ1", shows="wrong-result", symptom="It is there.", extra=trap)
    evidence = section(page_of(entry=text), "evidence")
    assert '<h3 id="broken"><code>broken.py</code>: the failure</h3>' in evidence
    assert '<h3 id="fixed"><code>fixed.py</code>: the fix</h3>' in evidence
    assert '<h3 id="trap_seed"><code>trap_seed.py</code>: a trap</h3>' in evidence
    assert (
        "<p>Claim: the seed of ZZ1 &lt;b&gt; changes nothing. Holds for torch &gt;=2. No run of it is "
        "recorded. Run it: <code>dpkb repro ZZ1 --script trap_seed</code></p>"
    ) in evidence
    assert evidence.count("<p>Its source cannot be read.</p>") == 1  # no file of this name is there


def test_a_run_is_shown_with_its_numbers_and_where_it_was(page_of):
    evidence = section(
        page_of(
            result(observed={"healthy": False, "distinct": 2}), result("fixed", affected=False, **HEALTHY)
        ),
        "evidence",
    )
    assert (
        "Result: <strong>wrong result</strong>; distinct: 2 (torch 2.4.1, Python 3.11.7, linux, "
        "2026-01-02, confirmed)."
    ) in evidence
    assert "<strong>healthy</strong> (outside the versions of the claim, as stated) (torch 2.4.1" in evidence


def test_the_name_of_a_device_stays_text(page_of, tmp_path):
    folder = write_catalogue(tmp_path / "catalogue")
    runs = [result(), result("fixed", **HEALTHY)]
    store.record(runs, replace(HERE, device="cuda (*A* `B`)"), load([folder]), folder, "2026-01-02")
    evidence = section(page_of(catalogue=folder), "evidence")
    assert evidence.count("cuda (*A* `B`)") == 3


def test_environments_are_folded_unless_a_run_disagrees(page_of, tmp_path):
    agrees = section(page_of(result(), result("fixed", **HEALTHY)), "evidence")
    assert "<details><summary>Each environment</summary><table>" in agrees
    assert "affected: the failure and its fix were seen" in agrees
    other = write_catalogue(tmp_path / "other")
    refuted = result(verdict=Verdict.REFUTED, **HEALTHY)
    disagrees = section(page_of(refuted, result("fixed", **HEALTHY), catalogue=other), "evidence")
    assert "a run disagrees with this entry" in disagrees and "Each environment" not in disagrees


def test_the_fix_is_a_diff_of_both_scripts_or_left_out(page_of, tmp_path):
    diff = section(page_of(), "diff")
    assert "-value = 1" in diff and "+value = 2" in diff and "Symptom: none" not in diff
    folder = write_catalogue(tmp_path / "other")
    (folder / "reproducers" / "zz1_made" / "fixed.py").write_bytes(b"\xff")
    assert section(page_of(catalogue=folder), "diff") is None


@pytest.mark.parametrize(
    ("places", "words"),
    [
        ("cpu", "torch and a CPU"),
        ("cpu or cuda, linux", "torch, Linux and a CPU or a GPU with CUDA"),
        ("cpu, root, 4 MB /dev/shm, 64 open files", "torch, root, 4 MB of /dev/shm, 64 open files and a CPU"),
    ],
)
def test_a_page_says_what_the_failure_needs(places, words, page_of):
    sentence = f"<p>broken.py needs {words}, and takes about 1 s. The entry"
    assert sentence in section(page_of(places=places), "run")


# -- pictures -----------------------------------------------------------------------------------

BY_RANK = {"healthy": False, "steps_by_rank": [5, 7]}


def titles_of(pictures):
    return re.findall(r'aria-label="([^":]+: [^":]+)"><p>', pictures)


def test_a_failure_and_its_fix_are_drawn_with_their_tables(page_of):
    pictures = section(
        page_of(
            result(observed=BY_RANK),
            result("fixed", **HEALTHY, observed={"healthy": True, "steps_by_rank": [5, 5]}),
        ),
        "picture",
    )
    assert titles_of(pictures) == ["broken.py: wrong result", "fixed.py: healthy"]
    assert pictures.count("<details><summary>The numbers of ") == 2
    assert "<tr><td></td><td>5</td><td>7</td></tr>" in pictures


def test_without_lists_the_numbers_that_differ_are_compared(page_of):
    pictures = section(
        page_of(
            result(observed={"healthy": False, "loss": 4, "steps": 3}),
            result("fixed", **HEALTHY, observed={"healthy": True, "loss": 1, "steps": 3}),
        ),
        "picture",
    )
    assert ">loss</text>" in pictures and ">steps</text>" not in pictures


def test_a_failure_that_ends_before_it_prints_is_named_beside_the_picture_of_its_fix(page_of):
    raised = result(outcome=Outcome.RAISED, observed=None)
    page = page_of(raised, result("fixed", **HEALTHY, observed=BY_RANK), shows="raises", pattern="x")
    pictures = section(page, "picture")
    assert titles_of(pictures) == ["fixed.py: healthy"]
    assert "</a> ends before it can print a number (raised)." in pictures


def test_a_script_that_waits_for_a_gpu_is_named(page_of):
    pictures = section(page_of(places="cuda"), "picture")
    assert "Not drawn, because no run on a GPU is recorded: <a" in pictures
    assert 'href="#broken"' in pictures and 'href="#fixed"' in pictures


def test_a_page_without_numbers_has_no_picture(page_of):
    assert section(page_of(result(observed={"healthy": False})), "picture") is None


# -- words and tables ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("observed", "words"),
    [
        ({"healthy": False, "distinct": 2, "peak_mb": 3.14159}, "distinct: 2; peak MB: 3.142"),
        ({"healthy": True, "steps_by_rank": [5, 7]}, "steps by rank: 5, 7"),
        ({"crop_by_worker_and_epoch": [[1, 2], [3, 4]]}, "crop by worker and epoch: 1, 2 | 3, 4"),
        (
            {"names": [], "seen": {"a": True, "b": [1]}, "none": None},
            "names: ; seen: a: yes, b: 1; none: None",
        ),
        ({"healthy": True}, ""),
        (None, ""),
    ],
)
def test_the_numbers_of_a_run_in_words(observed, words):
    assert render_observed(observed) == words


def test_a_grid_is_a_table_and_its_text_stays_text():
    table = render_grid("crop_by_worker_and_epoch", {"crop_by_worker_and_epoch": [["<b>", 1]]})
    assert "<tr><td>worker 0</td><td>&lt;b&gt;</td><td>1</td></tr>" in table and "epoch 1" in table
    assert render_grid("distinct", {"distinct": 2}) == ""


def test_recorded_messages_are_folded_at_the_end(page_of, tmp_path):
    folder = write_catalogue(tmp_path / "with_messages")
    assert "<details><summary>Recorded messages" not in page_of(catalogue=folder)
    (folder / "kb/zz1_made.messages.yaml").write_text(
        MESSAGES.replace("width 3", "width <3>").replace("\\d+ got", ".+ got")
    )
    end = page_of(catalogue=folder).rpartition("<details>")[2]
    assert end.startswith("<summary>Recorded messages that lead here: 1</summary>")
    assert "<code>RuntimeError: layer of width &lt;3&gt; got 4</code>" in end and "1.8.1, 2.15.0" in end
