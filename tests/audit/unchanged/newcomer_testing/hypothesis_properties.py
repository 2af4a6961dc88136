# hypothesis searches for counterexamples of properties of a trained model; the number of examples and the minimum show.
# needs: hypothesis
import torch
from hypothesis import HealthCheck, given, seed, settings
from hypothesis import strategies as st
from torch import nn

torch.set_num_threads(1)
calls = []
quick = settings(max_examples=20, database=None, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))


@quick
@given(st.lists(st.integers(-4, 4), min_size=1, max_size=4), st.sampled_from(["sgd", "adam"]))
def step_changes_weights(xs, kind):
    calls.append((tuple(xs), kind))
    torch.manual_seed(0)
    net = nn.Linear(1, 1)
    before = net.weight.item()
    opt = torch.optim.SGD(net.parameters(), lr=0.1) if kind == "sgd" else torch.optim.Adam(net.parameters(), lr=0.1)
    net(torch.tensor(xs, dtype=torch.float32).unsqueeze(1)).sum().backward()
    opt.step()
    assert (net.weight.item() != before) == (sum(xs) != 0)


@settings(quick)
@given(st.integers(0, 1000))
def small(n):
    assert nn.Identity()(torch.tensor(n)).item() < 37


step_changes_weights()
print(len(calls), calls[:3])
try:
    small()
except AssertionError as e:
    print("falsified", [n for n in getattr(e, "__notes__", [])])
print(torch.initial_seed(), seed.__name__)
