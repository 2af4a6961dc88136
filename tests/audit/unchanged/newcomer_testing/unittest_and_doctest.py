# unittest and doctest run tests that train a model; the results, failures and captured output are printed.
import doctest
import io
import re
import sys
import unittest
import warnings

import torch
from torch import nn

torch.set_num_threads(1)


def fit(n):
    """Trains for n steps.

    >>> fit(2)
    step 0
    step 1
    0.45
    >>> fit("x")
    Traceback (most recent call last):
        ...
    TypeError: 'str' object cannot be interpreted as an integer
    >>> torch.nn.Linear(1, 1)
    Linear(in_features=1, out_features=1, bias=True)
    """
    torch.manual_seed(0)
    net = nn.Linear(1, 1, bias=False)
    nn.init.constant_(net.weight, 0.65)
    opt = torch.optim.SGD(net.parameters(), lr=0.1)
    for i in range(n):
        opt.zero_grad()
        net(torch.ones(1, 1)).sum().backward()
        opt.step()
        print("step", i)
    return round(net.weight.item(), 4)


class Tests(unittest.TestCase):
    def test_warns(self):
        with self.assertWarns(UserWarning):
            warnings.warn("here", UserWarning)

    def test_no_warning_in_training(self):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            with torch.autograd.set_grad_enabled(True):
                fit(1)

    def test_logs(self):
        import logging

        with self.assertLogs() as logs:
            logging.getLogger("a").warning("w")
            fit(1)
        self.assertEqual(logs.output, ["WARNING:a:w"])

    def test_raises(self):
        with self.assertRaisesRegex(RuntimeError, "shapes cannot be multiplied"):
            nn.Linear(2, 2)(torch.ones(1, 3))

    def test_fails(self):
        net = nn.Linear(2, 2)
        self.assertEqual(list(net(torch.ones(1, 2)).shape), [2, 2])

    def test_errors(self):
        torch.optim.SGD([], lr=0.1)

    @unittest.expectedFailure
    def test_expected(self):
        self.fail()


out = io.StringIO()
stdout, sys.stdout = sys.stdout, io.StringIO()
result = unittest.TextTestRunner(out, verbosity=2).run(unittest.defaultTestLoader.loadTestsFromTestCase(Tests))
sys.stdout = stdout
print(result, len(result.expectedFailures))
for test, text in result.failures + result.errors:
    print(test.id().split(".")[-1], [line.strip() for line in text.splitlines() if not line.strip().startswith(("File", "^", "~"))])
print(re.sub(r"in [\d.]+s", "in Ns", out.getvalue().splitlines()[-3]))
print(doctest.testmod(sys.modules["__main__"]))
