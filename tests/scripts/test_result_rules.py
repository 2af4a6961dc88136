"""What a script reports without having measured it, found in its text."""

import ast

import pytest

from dpkb.scripts.result_rules import find_result_problems

HEAD = "import json\nimport os\nimport sys\nimport torch\n\nlimit = 2\n\n\ndef work(n):\n    return n\n\n\n"
GUARD = 'if __name__ == "__main__":\n'
END = '    print("OBSERVED", json.dumps({"healthy": healthy, "n": n}))\n    sys.exit(0 if healthy else 1)\n'


def messages(*lines, head=HEAD, end=END, is_healthy=True):
    body = "".join(f"    {line}\n" for line in lines)
    return [message for _, message in find_result_problems(ast.parse(head + GUARD + body + end), is_healthy)]


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        (["n = 2", "healthy = n == 2"], "`healthy` follows from literals"),
        (["n = work(1)", "healthy = True"], "`healthy` follows from literals"),
        (["n = 2", "healthy = n == limit"], "`healthy` follows from literals"),
        (["n = 2", "healthy = n == len(sys.path)"], "`healthy` follows from literals"),
        # The n of a function is another n.
        (["def count():", "    n = 0", "n = 2", "healthy = n == 2"], "`healthy` follows from literals"),
        (["n = work(1)", "if n > 9:", "    sys.exit(1)", "healthy = n == 2"], "exits here with a code"),
        (["n = work(1)", "if n > 9:", "    sys.exit(n)", "healthy = n == 2"], "exits here with a code"),
        (["n = int(os.environ['N'])", "healthy = n == 2"], "reads an environment variable"),
        (["n = int(os.environ.get('N', 2))", "healthy = n == 2"], "reads an environment variable"),
        (["n = int(os.getenv('N', 2))", "healthy = n == 2"], "reads an environment variable"),
        (
            ["n = parser.parse_args().n", "healthy = n == 2"],
            "reads an environment variable or the command line",
        ),
        (
            ["n = work(1)", "if 'N' in os.environ:", "    n = 2", "healthy = n == 2"],
            "an environment variable",
        ),
        (
            ["n = 0", "try:", "    n = work(1)", "except RuntimeError:", "    pass", "healthy = n == 2"],
            "ignores an error",
        ),
        (
            [
                "n = 0",
                "for _ in range(2):",
                "    try:",
                "        n = work(1)",
                "    except Exception as error:",
                "        print(error)",
                "        continue",
                "healthy = n == 2",
            ],
            "ignores an error",
        ),
        (
            ["n = work(1)", "with contextlib.suppress(Exception):", "    n = work(2)", "healthy = n == 2"],
            "ignores an error",
        ),
        (["n = work(1)", "threading.excepthook = print", "healthy = n == 2"], "ignores an error"),
        (["n = work(1)", "healthy = n == n"], "`n` is compared with itself"),
        (["n = torch.ones(2)", "healthy = torch.equal(n, n)"], "`n` is compared with itself"),
        (["n = work(1)", "healthy = abs(n - n) < 1"], "`n` is compared with itself"),
        # As DP10's fixed.py once was.
        (
            [
                "n = work(1)",
                "expected = work((n - 3) / 2, limit)",
                "n = (n - 3) / 2",
                "seen = work(n, limit)",
                "healthy = seen == expected",
            ],
            "written differently",
        ),
    ],
)
def test_a_result_that_was_not_measured(lines, message):
    assert any(message in found for found in messages(*lines)), messages(*lines)


def test_a_number_is_not_written_by_hand():
    end = END.replace('"n": n', '"n": 3')
    (message,) = messages("n = work(1)", "healthy = n == 2", end=end)
    assert message.startswith("'n' is a literal")


def test_an_unhealthy_script_may_ignore_an_error():
    lines = ["n = 0", "try:", "    n = work(1)", "except RuntimeError:", "    pass", "healthy = n == 2"]
    assert messages(*lines, is_healthy=False) == []


@pytest.mark.parametrize(
    "lines",
    [
        ["n = work(1)", "healthy = n == 2"],
        ["n = 2", "healthy = n == work(1)"],
        ["n = []", "n.append(work(1))", "healthy = n == [2]"],
        ["n = 0", "for _ in torch.ones(3):", "    n += 1", "healthy = n == 3"],
        ["n = [0, 0]", "torch.spawn(work, args=(n,))", "healthy = n == [1, 1]"],
        ["n = 0", "try:", "    torch.ones(-1)", "except RuntimeError:", "    n = 1", "healthy = n == 1"],
        ["with torch.profiler() as n:", "    pass", "healthy = n == 2"],
        [
            "if not torch.cuda.is_available():",
            "    print('SKIPPED no GPU')",
            "    sys.exit(77)",
            "n = work(1)",
            "healthy = n == 2",
        ],
        ["if os.fork() == 0:", "    sys.exit(0)", "n = work(1)", "healthy = n == 2"],
        ["os.environ['N'] = '2'", "n = work(os.environ.setdefault('M', '3'))", "healthy = n == 2"],
        ["n = work(dict(os.environ))", "healthy = n == 2"],
        ["n = parser.parse_args(['--n', '2']).n", "healthy = n == 2"],
        # The same measurement twice is meant to be compared.
        ["n, m = work(1), work(1)", "healthy = n == m"],
        ["n = work(limit)", "m = work(limit)", "healthy = n == m"],
        ["n = work(limit)", "m = work(limit)", "healthy = n[0] == m[0]"],
        ["n = work(limit)", "m = n(limit)", "n.train()", "healthy = n(limit) - m"],
        ["other = work", "n = work(limit)", "healthy = n == other(limit)"],
        ["n = work(limit)", "limit = 3", "m = work(limit)", "healthy = n == m"],
        ["a, b = work(1), work(2)", "n = work(a) - work(b)", "healthy = n == 1"],
    ],
)
def test_a_result_that_was_measured(lines):
    assert messages(*lines) == []


def test_expressions_that_name_each_other_are_followed_in_bounded_time():
    lines = ["n0 = work(1)", *(f"n{i + 1} = n{i} + n{i} + work(n{i})" for i in range(40))]
    assert messages(*lines, "n = n40", "healthy = n == 2") == []
