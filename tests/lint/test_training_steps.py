"""The training steps of a file."""

from support.lint_file import file_of

from dpkb.lint.nodes import LOOPS, text_of
from dpkb.lint.training_steps import find_remainder_tests, find_training_steps


def test_a_training_step_is_the_innermost_loop_or_the_function():
    file = file_of("""
        def train():
            for epoch in range(9):
                for x in DataLoader(data):
                    optimizer.zero_grad()
                    a(x).backward()
                    b(x).backward()
        def step(x):
            c(x).backward()
        class Square(torch.autograd.Function):
            def backward(ctx, gradient):
                return gradient.backward()
    """)
    steps = find_training_steps(file)
    assert [step.block.lineno for step in steps] == [
        node.lineno for node in (file.tree.nodes(*LOOPS)[1], file.tree.functions[1])
    ]
    assert [text_of(call) for call in steps[0].calls("zero_grad", "backward")] == [
        "optimizer.zero_grad()",
        "a(x).backward()",
        "b(x).backward()",
    ]
    assert steps[0].loader and steps[1].loader is None


def test_the_conditions_with_a_remainder_around_a_call():
    file = file_of("""
        for i, x in enumerate(loader):
            if (i + 1) % 4 == 0:
                if ready:
                    if i % 8 == 0:
                        optimizer.step()
            if i % 2:
                pass
            else:
                optimizer.step()
    """)
    inner, other = file.scopes.method_calls("step")
    assert [text_of(test) for test in find_remainder_tests(file, inner)] == ["i % 8 == 0", "(i + 1) % 4 == 0"]
    assert find_remainder_tests(file, other) == []
