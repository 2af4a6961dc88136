"""An entry names what its fix changes and what it measures, so that a fix that is none can be seen."""

from dataclasses import replace

import pytest
from support import write_catalogue

from dpkb.catalogue.load import load
from dpkb.scripts.fix_rules import find_fix_problems

BODY = '''"""ZZ1: it fails."""

import time

{0}


def train(steps, rate=0.1):
    losses = []
    for step in range(steps):
        losses.append(step * rate)
    return losses


if __name__ == "__main__":
    torch.manual_seed(0)
    losses = train(9)
    order = torch.arange(9)
    errors = len(losses)
{1}
    begin = time.monotonic()
    healthy = errors == 9
    print("OBSERVED", json.dumps({{"healthy": healthy, "errors": errors}}))
    sys.exit(0 if healthy else 1)
'''
BROKEN = "the errors are there"


@pytest.fixture(scope="module")
def entry(tmp_path_factory):
    return load([write_catalogue(tmp_path_factory.mktemp("kb"))]).find_entry("ZZ1")


def find_messages(entry, before, after, fixed="it works", broken=BROKEN):
    """The messages for a pair. before, after: a line above the functions, or lines of the experiment."""
    sources = [
        BODY.format(*(("", "    pass") if not text else (text, "    pass") if text[0] != " " else ("", text)))
        for text in (before, after)
    ]
    claims = {"fixed": fixed, "broken": broken}
    scripts = tuple(replace(script, claim=claims[script.name]) for script in entry.scripts)
    named = replace(entry, scripts=scripts, summary="", keywords=())
    return [message for _, message in find_fix_problems(*sources, named)]


@pytest.mark.parametrize(
    ("before", "after", "fixed"),
    [
        ("    seen = list(order)", "    seen = sorted(order)", "the order is kept"),
        ("    error = (a - b).max()", "    error = (a - b).abs().max()", "the error is small"),
        ("    same = a == b", "    same = torch.allclose(a, b)", "both are the same"),
        ("    y = model(x, state)", "    y = model(x, other)", "detached, the states are the same"),
        ("    y = 1\n    x = a(2)", "    y = 2\n    x = b(2)", "with b() it works"),
        ("    f()", "    pass", "it works"),
        ("    y = x[0].float()", "    y = x.float()", "with float64 it works"),
    ],
)
def test_no_text_names_the_change(entry, before, after, fixed):
    message = "no text of the entry names this change"
    assert any(message in found for found in find_messages(entry, before, after, fixed))


@pytest.mark.parametrize(
    ("before", "after", "fixed", "name"),
    [
        ("    y = half(x)", "    y = clip(x).sqrt()", "with clip() half of it is finite", "sqrt"),
        ("    y = ddp(x)", "    y = ddp.module(x)", "an unused head works", "module"),
        ("    y = draw(x)", "    y = x", "x is as it was", "draw"),
        ("    SGD(x, momentum=y)", "    SGD(x, clip=y)", "with clip it works", "momentum"),
        ("    pass", "    optimizer.eval()", "the optimizer works", "eval"),
    ],
)
def test_a_name_of_one_script_alone_is_named(entry, before, after, fixed, name):
    message = f"`{name}` is in "
    assert any(found.startswith(message) for found in find_messages(entry, before, after, fixed))
    named = find_messages(entry, before, after, fixed, f"{BROKEN} with {name}()")
    assert not any(found.startswith(message) for found in named)


@pytest.mark.parametrize(
    ("before", "after", "place"),
    [
        ("steps = 9", "steps = 1", "steps"),
        ("text = 'x y'", "text = 'xy'", "text"),
        ("rows = [[1, 2], [3]]", "rows = [[1, 2], [3, 4]]", "4"),
        ("scale = 2.0 ** 99", "scale = 2.0 ** 5", "5"),
        ("    torch.seed(1)", "    torch.seed(2)", "seed"),
        ("    SGD(x, lr=0.1)", "    SGD(x, lr=0.0)", "lr"),
        ("    SGD(x)", "    SGD(x, nesterov=True)", "nesterov"),
        ("    texts = f'{x:.4f}'", "    texts = f'{x:.0f}'", "texts"),
        ("    error = round(x, 4)", "    error = round(x, 0)", "0"),
        ("    mp.spawn(work, nprocs=2)", "    mp.spawn(work, nprocs=1)", "nprocs"),
        ("    for rank in range(2): work()", "    for rank in range(1): work()", "range"),
        ("def f(limit=1): pass", "def f(limit=2): pass", "limit"),
        ("    y = f(x)", "    y = f(x * 0.1)", "0.1"),
    ],
)
def test_a_value_is_kept_or_named(entry, before, after, place):
    fixed = f"the {place.rstrip('0123456789.')} works"
    assert any(found.startswith(f"`{place}` differs") for found in find_messages(entry, before, after, fixed))


@pytest.mark.parametrize(
    ("before", "after", "claim"),
    [
        ("    Loader(x, num_workers=3)", "    Loader(x, num_workers=9)", "with 9 workers (num_workers)"),
        ("    Loader(x, workers=3)", "    Loader(x, workers=1)", "fewer workers fit"),
        ("    Loader(x)", "    Loader(x, drop_last=True)", "drop_last ends the epoch"),
        ("    SGD(x, lr=0.9)", "    SGD(x, lr=0.1)", "with a lower lr the loss falls"),
        ("    SGD(x, lr=0.9)", "    SGD(x, lr=0.1)", "with lr=0.1 the loss falls"),
        ("    log('valid_loss')", "    log('val_loss')", "val_loss is logged"),
        ("    SGD(x, lr=0.1)", "    SGD(x, lr=rate)", "with the rate of train() it works"),
        ("    f(order)", "    g2(order)", "with g2() it works"),
        ("    y = x", "    y = x.argmax(dim=1)", "with argmax it works"),
        ("    y = x.half()", "    y = x", "without half() it works"),
        (
            "    y = [f1(\n        x)]",
            "    y = [f2(\n        sorted(x))]",
            "with f2() in place of f1() it works",
        ),
        (
            "    y = x",
            "    bad = []\n    for z in x:\n        if f(z):\n            bad += 1",
            "bad ones count",
        ),
    ],
)
def test_a_change_is_the_fix_if_the_claim_names_it(entry, before, after, claim):
    assert find_messages(entry, before, after, claim) == []


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("    print('one text')", "    print('another text')"),
        ("import a", "import b"),
        ("program = 'import os\\nfork()'", "program = 'import os\\nspawn()'"),
        ("pass", "def new(x):\n    return x.sqrt() * 3"),
    ],
)
def test_what_is_printed_imported_or_new_needs_no_name(entry, before, after):
    assert find_messages(entry, before, after, "it works") == []


@pytest.mark.parametrize(
    ("before", "after", "message"),
    [
        ("    f()\n    errors = g()", "    errors = g()\n    f()", "at another moment"),
        ("    pass", "    errors = 0", "sets what is measured"),
        ("    pass", "    errors = errors[1:]", "sets what is measured"),
        ("    pass", "    losses.clear()", "sets what is measured"),
        ("    pass", "    losses[losses > 3] = 0.0", "sets what is measured"),
        ("    for step in x: f()", "    for step in x:\n        break", "leaves out a part"),
        ("    pass", "    train(9)", "once more what is timed"),
    ],
)
def test_a_change_that_is_no_fix_whatever_the_claim_says(entry, before, after, message):
    claim = "the errors, losses and steps of train() are 0.0 or 9"
    assert any(message in found for found in find_messages(entry, before, after, claim))


def test_a_claim_names_what_is_measured(entry):
    message = "no text of the entry names what `healthy` measures"
    assert any(message in found for found in find_messages(entry, "", "", broken="it fails"))
    assert not any(message in found for found in find_messages(entry, "", "", "no error", broken="it fails"))


@pytest.mark.parametrize(
    ("claim", "names"),
    [("with set_epoch it works", ["set_epoch"]), ("with lr=3 and train() it works", ["lr"])],
)
def test_a_claim_names_only_what_its_script_uses(entry, claim, names):
    found = [m for m in find_messages(entry, "", "    pass  # FIX: set_epoch, lr", claim) if "the claim" in m]
    assert found == [f"the claim names `{name}`, which neither script uses" for name in names]


@pytest.mark.parametrize("text", ["x = (", "x = " + "-" * 5000 + "1"])
def test_what_is_no_python_is_reported_elsewhere(entry, text):
    assert find_fix_problems(BODY.format("", "    pass"), text, entry) == []
