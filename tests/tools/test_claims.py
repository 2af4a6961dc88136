"""The claims of each entry are counted, and those that a script has tested."""

from support import write_catalogue
from support.results import HERE, result

from dpkb.catalogue.load import load
from dpkb.evidence import store
from tools.claims import EntryClaims, count_claims, main, render_claims


def test_a_claim_is_a_script_that_the_page_names(tmp_path):
    symptom = "Run `train.py`, `trap_x.py` or `fix_y.py`; ``broken.py`` fails."
    entry = load([write_catalogue(tmp_path, symptom=symptom)]).find_entry("ZZ1")
    store.record([result("broken")], HERE, [entry], tmp_path, "2026-01-02")
    evidence = store.load(tmp_path)
    assert count_claims(entry, evidence) == EntryClaims("ZZ1", claims=4, scripts=2, run=1, not_run=["fixed"])
    entry.find_script("fixed").path.unlink()
    assert count_claims(entry, evidence).scripts == 1


def test_claims_are_added_up():
    rows = [
        EntryClaims("ZZ1", claims=3, scripts=3, run=1, not_run=["fixed", "trap_x"]),
        EntryClaims("ZZ2", claims=2, scripts=2, run=2, not_run=[]),
    ]
    assert render_claims(rows).splitlines() == [
        "|  | claims | with a script | run | not yet run |",
        "|---|---:|---:|---:|---|",
        "| ZZ1 | 3 | 3 | 1 | fixed, trap_x |",
        "| ZZ2 | 2 | 2 | 2 |  |",
        "| all | 5 | 5 | 3 | 2 |",
    ]


def test_every_claim_of_the_catalogue_has_a_script(capsys):
    main([])
    rows = [line.strip("| ").split(" | ") for line in capsys.readouterr().out.splitlines()[2:]]
    assert len(rows) > 100 and all(row[1] == row[2] for row in rows)
