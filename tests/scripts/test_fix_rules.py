"""A fix is no fix if it changes the data, a setting or the measurement, and the claim does not say so."""

from dataclasses import replace

import pytest
from support import write_catalogue

from dpkb.catalogue.load import load
from dpkb.model import Outcome
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
    errors = len(losses)
{1}
    begin = time.monotonic()
    healthy = errors == 9
    print("OBSERVED", json.dumps({{"healthy": healthy, "errors": errors}}))
    sys.exit(0 if healthy else 1)
'''


@pytest.fixture(scope="module")
def entry(tmp_path_factory):
    return load([write_catalogue(tmp_path_factory.mktemp("kb"))]).find_entry("ZZ1")


def find_messages(entry, before, after, shows=None, **claims):
    """The messages for a pair. before, after: a line above the functions, or lines of the experiment."""
    sources = [
        BODY.format(*(("", "    pass") if not text else (text, "    pass") if text[0] != " " else ("", text)))
        for text in (before, after)
    ]
    scripts = tuple(
        replace(script, claim=claims.get(script.name, script.claim), shows=shows or script.shows)
        for script in entry.scripts
    )
    return [message for _, message in find_fix_problems(*sources, replace(entry, scripts=scripts))]


@pytest.mark.parametrize(
    ("before", "after", "message"),
    [
        ("steps = 9", "steps = 1", "`steps` differs"),
        ("text = 'x y'", "text = 'xy'", "`text` differs"),
        ("x = torch.rand(3)", "x = torch.zeros(3)", "`x` differs"),
        ("rows = [[1, 2], [3]]", "rows = [[1, 2], [3, 4]]", "`rows` differs"),
        ("scale = 2.0 ** 99", "scale = 2.0 ** 9", "`scale` differs"),
        ("    torch.manual_seed(1)", "    torch.manual_seed(2)", "`manual_seed` differs"),
        ("    SGD(x, lr=0.1)", "    SGD(x, lr=0.0)", "`lr` differs"),
        ("    SGD(x)", "    SGD(x, dampening=0.5)", "`dampening` differs"),
        ("    x = Dropout(p=0.5)", "    x = Dropout(p=0.0).eval()", "`p` differs"),
        ("    texts = f'{x:.4f}'", "    texts = f'{x:.0f}'", "`texts` differs"),
        ("    error = round(x, 4)", "    error = round(x, 0)", "`round` differs"),
        ("    mp.spawn(work, nprocs=2)", "    mp.spawn(work, nprocs=1)", "`nprocs` differs"),
        ("    for rank in range(2): work()", "    for rank in range(1): work()", "`rank` differs"),
        ("def f(limit=1): pass", "def f(limit=2): pass", "`limit` differs"),
        ("    last = losses[-1]", "    last = losses[0]", "`last` differs"),
        ("    seen = list(order)", "    seen = sorted(order)", "in another way"),
        ("    error = (a - b).max()", "    error = (a - b).mean()", "in another way"),
        ("    same = a == b", "    same = torch.allclose(a, b)", "in another way"),
        ("    worst = max(errors)", "    worst = max(errors[:1])", "in another way"),
        ("    x = load()", "    x = min(load() for _ in range(2))", "in another way"),
        ("    for x in loader: pass", "    for x in islice(loader, 2): pass", "in another way"),
        ("    f()\n    errors = g()", "    errors = g()\n    f()", "at another moment"),
        ("    pass", "    errors = 0", "sets what is measured"),
        ("    pass", "    errors = errors[1:]", "sets what is measured"),
        ("    pass", "    losses.clear()", "sets what is measured"),
        ("    pass", "    losses[losses > 3] = 0.0", "sets what is measured"),
        ("    for step in x: f()", "    for step in x:\n        break", "leaves out a part"),
        ("    for step in x: f()", "    for step in x:\n        if step > 0: continue", "leaves out a part"),
        ("    y = f(x)", "    y = f(x * 0.1)", "in another way"),
        ("    pass", "    train(9)", "once more what is timed"),
    ],
)
def test_a_change_that_is_no_fix(entry, before, after, message):
    assert any(message in found for found in find_messages(entry, before, after))


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("    SGD(x, lr=0.1)", "    SGD(x, lr=rate)"),
        ("    f(1)", "    g(1)"),
        ("    y = x.argmax()", "    y = z.argmax(dim=1)"),
        ("    y = f(x)", "    y = f(x.detach())"),
        ("    y = x.half()", "    y = x"),
        ("    y = x[:, 1:]", "    y = x[:, 1]"),
        ("    x.append(f(1).mean())", "    x.append(f(1).mean().item())"),
        ("    print('one text')", "    print('another text')"),
        ("program = 'import os\\nfork()'", "program = 'import os\\nspawn()'"),
        ("    y = torch.ones(3).cuda()", "    y = torch.ones(3)"),
        ("    y = x", "    for *y, z in x:\n        class A(B, flag=1): pass"),
        ("    y = x", "    skipped = 0\n    for y in x:\n        if bad(y):\n            skipped += 1"),
    ],
)
def test_a_change_that_may_be_a_fix(entry, before, after):
    assert find_messages(entry, before, after) == []


@pytest.mark.parametrize(
    ("before", "after", "claim"),
    [
        ("    Loader(x, num_workers=3)", "    Loader(x, num_workers=9)", "with 9 workers it is fast"),
        ("    Loader(x, num_workers=3)", "    Loader(x, num_workers=1)", "with 1 worker it is fast"),
        ("    Loader(x, num_workers=3)", "    Loader(x, num_workers=1)", "fewer workers fit"),
        ("    Loader(x)", "    Loader(x, drop_last=True)", "drop_last ends the epoch"),
        ("    SGD(x, lr=0.9)", "    SGD(x, lr=0.1)", "with a lower lr the loss falls"),
        ("    SGD(x, lr=0.9)", "    SGD(x, lr=0.1)", "with lr=0.1 the loss falls"),
        ("    log('valid_loss')", "    log('val_loss')", "val_loss is logged"),
    ],
)
def test_a_setting_is_the_fix_if_the_claim_says_so(entry, before, after, claim):
    assert find_messages(entry, before, after, fixed=claim) == []
    assert len(find_messages(entry, before, after, fixed="after 5 steps the loss falls")) == 1


@pytest.mark.parametrize(
    ("before", "after", "message"),
    [
        ("    n = loader.samplers", "    n = loader.sampler", "`sampler` is `samplers` in broken.py"),
        ("    SGD(x, weigth=y)", "    SGD(x, weight=y)", "`weight` is `weigth`"),
        ("    n = state['epochs']", "    n = state['epoch']", "`epoch` is `epochs`"),
    ],
)
def test_an_error_that_is_a_slip_of_the_script(entry, before, after, message):
    found = find_messages(entry, before, after, Outcome.RAISED)
    assert any(message in text for text in found), found
    assert not any(message in text for text in find_messages(entry, before, after, Outcome.WRONG_RESULT))


@pytest.mark.parametrize("text", ["x = (", "x = " + "-" * 5000 + "1"])
def test_what_is_no_python_is_reported_elsewhere(entry, text):
    assert find_fix_problems(BODY.format("", "    pass"), text, entry) == []
