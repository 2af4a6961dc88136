"""`dpkb lint --fix` on programs that work: they print the same afterwards."""

import json
import subprocess
import sys

import pytest

from dpkb.lint.fix import fix_until_stable
from dpkb.lint.project import Project
from dpkb.lint.run import LintResult, Selection, lint_file

HEAD = """import torch
from torch import nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, DistributedSampler, RandomSampler, TensorDataset
data = TensorDataset(torch.arange(4.0))
"""
TRAIN = (
    HEAD
    + """
torch.manual_seed(0)
net, x = nn.Linear(2, 1), torch.ones(3, 2)
def steps():
    for _ in range(2):
        yield x
"""
)

# In these, a safe correction rewrites something.
CORRECTED = {
    "A1 has another operator, another type, a second name and a comment": HEAD
    + """
class Net(nn.Module):
    def forward(self, x, a):
        out = torch.relu(x); second = out
        out += (  # this comment stays
            a | 1)
        total = torch.tanh(x).to(x.dtype)
        weights = F.softmax(x, dim=0)
        weights -= a.double() - 1 if a.sum() else 0
        return out, second, weights.dtype
with torch.no_grad():
    print(Net()(torch.ones(2), torch.tensor([4, 2])))
""",
    "A1 with é in the line": HEAD
    + """
class Net(nn.Module):
    def forward(self, x):
        é = "größe"; out = (torch.relu(
            x  # all
        )); out *= 2
        return out
with torch.no_grad():
    print(Net()(torch.ones(2)))
""",
    "DP14 with an epoch loop below": HEAD
    + """
def main():
\tfor epoch in range(1):
\t\tprint("warm-up")
\tsampler = DistributedSampler(data, num_replicas=1, rank=0)
\tloader = DataLoader(data, sampler=sampler)
\tfor epoch in range(2):
\t\t@staticmethod
\t\tdef each(): pass
\t\tprint(sorted(x.item() for (x,) in loader))
main()
""",
    "DP14 with a sampler of a function": HEAD
    + """
def make(many):
    return RandomSampler(data) if many else None
sampler = make(False)
torch.manual_seed(0)
print([x.item() for (x,) in DataLoader(data, shuffle=True, sampler=sampler)])
""",
    "E1": HEAD
    + """
torch.utils.data.dataloader._BaseDataLoaderIter.next = lambda self: self.__next__()
it = iter(DataLoader(data))
for _ in range(4):
    print("größe", it.next(), (it if it else None) is it); it
""",
    "N1": HEAD
    + """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(2, 1)
    def forward(self, x):
        return (self.fc
                ).forward(x)
torch.manual_seed(0)
print(Net()(torch.ones(1, 2)).item())
""",
    "N3": HEAD
    + """
class Net(nn.Module):
    layers: list
    def __init__(self):
        super().__init__()
        self.layers = [nn.Linear(2, 2),  # the first
                       nn.Linear(2, 2)]
        self.heads = {"a": nn.Linear(2, 1)}; self.blocks = []
        self.blocks.append(nn.Linear(2, 2))
    def forward(self, x):
        for layer in (*self.layers, *self.blocks):
            x = layer(x)
        for i, layer in enumerate(self.layers[:-1]):
            x = layer(x)
        return self.heads["a"](x)
torch.manual_seed(0)
print(Net()(torch.ones(1, 2)).item())
""",
    "N4": TRAIN
    + """
total, losses = 0.0, []
for x in steps():
    loss = net(x).mean(); loss.backward(); total += (loss); losses.append(loss)
print(total.item(), [loss.item() for loss in losses])
""",
    "P1 with two clippings": TRAIN
    + """
optimizer, scaler = torch.optim.SGD(net.parameters(), 0.1), torch.amp.GradScaler("cpu", init_scale=1.0)
for x in steps():
    scaler.scale(net(x).mean()).backward()
    nn.utils.clip_grad_norm_(net.weight, 0.5)
    nn.utils.clip_grad_norm_(net.bias, 0.5)
    scaler.step(optimizer)
    scaler.update()
print(net.bias.item())
""",
}

# These stay as they are: each correction would crash, or change what is printed.
KEPT = {
    "A1 in x itself": HEAD
    + """
class Net(nn.Module):
    def forward(self, x, buffer):
        out = F.relu(x, inplace=True)
        out += 1
        other = torch.exp(x, out=buffer)
        other += 1
        return out, other
x, buffer = torch.ones(2), torch.zeros(2)
with torch.no_grad():
    print(Net()(x, buffer), x, buffer)
""",
    "A1 without a tensor": HEAD
    + """
class Value(float):
    def exp(self):
        return 2.0
class Net(nn.Module):
    def forward(self, x, value):
        out = value.exp()
        out += 1
        return x * out
print(Net()(torch.ones(2), Value(3)))
""",
    "C18 with the prefix twice": "import torch\nkey = 'module.module.fc'\n"
    "state_dict = {key.lstrip('module.'): torch.ones(1)}\nprint(state_dict)\n",
    "DP14 with an epoch loop above": HEAD
    + """
def main():
    for epoch in range(2):
        print(epoch)
    sampler = DistributedSampler(data, num_replicas=1, rank=0)
    for n in range(3):
        print(len(DataLoader(data, sampler=sampler)))
main()
""",
    "DP14 with a loader and other samplers": HEAD
    + """
def one():
    loader = DataLoader(data, sampler=DistributedSampler(data, num_replicas=1, rank=0))
    for epoch in range(2):
        print(len(loader))
def two(many):
    sampler = DistributedSampler(data, num_replicas=2, rank=0) if many else RandomSampler(data)
    loader = DataLoader(data, sampler=sampler)
    for epoch in range(2):
        print(len(loader))
def three():
    sampler = DistributedSampler(data, num_replicas=1, rank=0)
    loader = DataLoader(data, sampler=sampler)
    sampler = None
    for epoch in range(2):
        print(len(loader))
def four():
    sampler = DistributedSampler(data, num_replicas=1, rank=0)
    loader = DataLoader(data, sampler=sampler)
    for epoch in ("a", "b"):
        print(epoch, len(list(loader)))
def five():
    sampler = DistributedSampler(data, num_replicas=1, rank=0)
    loader = DataLoader(data, sampler=sampler)
    for epoch in range(2): \\
    print(epoch)
one(), two(False), three(), four(), five()
""",
    "DP14 with a sampler of another scope": HEAD
    + """
def make():
    sampler = None
    return {"sampler": sampler}
def load(batch_sampler=None, shuffle=True):
    options = make()
    return DataLoader(data, batch_size=2, shuffle=shuffle, batch_sampler=batch_sampler, **options)
print(len(load()))
""",
    "DP14 in a class": HEAD
    + """
class Trainer:
    def __init__(self):
        self.warm_up()
        self.sampler = DistributedSampler(data, num_replicas=1, rank=0)
        self.loader = DataLoader(data, sampler=self.sampler)
    def warm_up(self):
        for epoch in range(2):
            print(epoch)
Trainer()
""",
    "E1 with a next of its own": HEAD
    + """
class Batches:
    def __init__(self, loader):
        self.items = [1, 2]
    def __iter__(self):
        return self
    def next(self):
        return self.items.pop() if self.items else None
    def __next__(self):
        raise StopIteration
def run(loader):
    it = iter(loader)
    while (x := it.next()) is not None:
        print(x, f"{it.next()!r} {'größe'}")
run(Batches(None))
""",
    "N1 with __call__, a hook and another class": HEAD
    + """
class Called(nn.Module):
    def forward(self, x):
        return x + 1
    def __call__(self, x):
        raise RuntimeError
class Other:
    def forward(self, x):
        return x
layer, called = nn.Identity(), Called()
other = nn.Identity() if torch.ones(1) == 0 else Other()
def hook(module, inputs, output):
    return layer.forward(inputs[0]) * 2
layer.register_forward_hook(hook)
def run(net, x):
    return net.forward(x)
print(layer(torch.ones(1)), called.forward(torch.ones(1)), other.forward(1), run(layer, 1), run(Other(), 1))
""",
    "N1 in an f-string": HEAD + "net = nn.Identity()\n"
    "def run(x):\n    return f\"é {net.forward(x)} {'b'}\"\nprint(run(1))\n",
    "N2 with a global name": HEAD
    + """
mask = torch.ones(3)
def f(x):
    mask.to(x.dtype)
    return x * mask
x = torch.ones(1, 2)
x.double()
print(f(torch.ones(3)), nn.Identity()(x).dtype)
""",
    "N3 before super().__init__()": HEAD
    + """
class Net(nn.Module):
    def __init__(self):
        self.layers = [nn.Linear(8, 8), nn.Linear(8, 8)]
        super().__init__()
    def forward(self, x):
        return self.layers[1](x)
print(Net()(torch.ones(1, 8)).shape)
""",
    "N3 with keys that ModuleDict refuses": HEAD
    + """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.dotted = {"layer.1": nn.Linear(8, 8), "b": nn.Linear(8, 8)}
        self.named = {"train": nn.Linear(8, 8)}
        self.read = {"a": nn.Linear(8, 8)}
    def forward(self, x):
        return self.read.get("b", self.named["train"])(self.dotted["layer.1"](x))
print(Net()(torch.ones(1, 8)).shape)
""",
    "N3 used as a list": HEAD
    + """
class Net(nn.Module):
    values = None
    def __init__(self):
        super().__init__()
        self.values = [nn.Linear(8, 8), nn.Linear(8, 8)]
        self.children = [nn.Linear(8, 8), nn.Linear(8, 8)]
        self.a = [nn.Linear(8, 8), nn.Linear(8, 8)]
        self.a = list(reversed(self.a))
        self.b = [nn.Linear(8, 8), nn.Linear(8, 8)]
        self.b.append(torch.relu)
        self.c = [nn.Linear(8, 8), nn.Linear(8, 8)]
        self.c.sort(key=id)
        self.hidden = [nn.Linear(8, 8)]
    def forward(self, x):
        layers = self.hidden, self.values, self.children, self.a, self.b + [1]
        return sum(len(item) for item in layers) * x
net = Net()
print(net(1), net.values[0], len(net.children), len(list(net.parameters())))
""",
    "N3 with parameters read by hand": HEAD
    + """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.layers = nn.Linear(2, 2), [nn.Linear(2, 2) for _ in range(2)]
net = Net()
groups = [{"params": net.parameters()}, {"params": [p for layer in net.layers for p in layer.parameters()]}]
print(len(torch.optim.SGD(groups, 0.1).param_groups))
""",
    "N4 with numbers and a graph that is used": TRAIN
    + """
total, sizes, all_losses = 0, 0, []
for x in steps():
    size_loss = 0.5
    loss = net(x).mean() + 0.1 * size_loss
    loss.backward(retain_graph=True)
    sizes += size_loss
    total += loss
total.backward()
for x in steps():
    losses = [net(x).mean()]
    sum(losses).backward()
    all_losses.append(losses)
for x in steps():
    loss = net(x).mean()
    loss.backward()
    loss = round(loss.item(), 2)
    sizes += loss
for i, x in enumerate(steps()):
    loss = 0
    if i:
        loss = net(x).mean()
        loss.backward()
    sizes += loss
print(sizes.item(), net.bias.grad, len(all_losses))
""",
    "N4 with outputs in a tuple": TRAIN
    + """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = net
    def forward(self, x):
        return self.fc(x), x
model, outputs = Net(), []
for x in steps():
    out = model(x)
    out[0].mean().backward()
    outputs.append(out)
print(len(outputs))
""",
    "O17 with nothing else to train": TRAIN
    + """
net.requires_grad = False
net(x).mean().backward()
print(net.bias.grad)
""",
    "O5 with options, another self and a dropout that stays on": HEAD
    + """
class Net(nn.Module):
    def __init__(self, **options):
        super().__init__()
        self.options = options
    def forward(this, x):
        def half(self):
            return F.dropout(self, 0.5)
        return F.dropout(half(x), **this.options), F.dropout(x, (0.5),)
torch.manual_seed(0)
print(Net(p=0.5, training=False).eval()(torch.ones(4)))
""",
    "P1 with unscale_() elsewhere": TRAIN
    + """
def prepare(scaler, optimizer):
    getattr(scaler, "unscale" + "_")(optimizer)
optimizer, scaler = torch.optim.SGD(net.parameters(), 0.1), torch.amp.GradScaler("cpu")
for x in steps():
    scaler.scale(net(x).mean()).backward()
    prepare(scaler, optimizer)
    nn.utils.clip_grad_norm_(net.parameters(), 0.5)
    scaler.step(optimizer)
    scaler.update()
print(net.bias.item())
""",
    "P1 with a limit that another function scales": TRAIN
    + """
optimizer, scaler = torch.optim.SGD(net.parameters(), 0.1), torch.amp.GradScaler("cpu", init_scale=1024.0)
def limit():
    return 0.5 * scaler.get_scale()
for x in steps():
    scaler.scale(net(x).mean()).backward()
    nn.utils.clip_grad_norm_(net.parameters(), limit())
    scaler.step(optimizer)
    scaler.update()
print(net.weight.tolist())
""",
    "P1 with a clipping after the step": TRAIN
    + """
optimizer, scaler = torch.optim.SGD(net.parameters(), 0.1), torch.amp.GradScaler("cpu", init_scale=1.0)
for x in steps():
    scaler.scale(net(x).mean()).backward()
    scaler.step(optimizer)
    nn.utils.clip_grad_norm_(net.parameters(), 0.5)
    scaler.update()
print(net.bias.item())
""",
}

RUN = """
import contextlib, io, json, runpy, sys
printed = {}
for path in sys.argv[1:]:
    with contextlib.redirect_stdout(io.StringIO()) as text:
        try:
            runpy.run_path(path, run_name="__main__")
        except Exception as error:
            print(repr(error))
    printed[path] = text.getvalue()
print(json.dumps(printed))
"""


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    """Name of each program -> what it prints before and after, whether it changed, and its ids."""
    folder = tmp_path_factory.mktemp("programs")
    files, ids = {}, {}
    for number, (name, program) in enumerate((CORRECTED | KEPT).items()):
        files[name] = [folder / f"{number}.py", folder / f"{number}_corrected.py"]
        for file in files[name]:
            # With two kinds of line ends and with form feeds.
            file.write_bytes(program.replace("\n\n", "\n\f\n").replace("\n", "\r\n", 3).encode())
        project = [files[name][1]]

        def find(project=project):
            return LintResult(tuple(lint_file(Project(project).parse(project[0]), Selection(hints=True))[0]))

        ids[name] = {finding.id for finding in find().findings}
        fix_until_stable(find, unsafe=False)
    done = subprocess.run(
        [sys.executable, "-c", RUN, *(file for pair in files.values() for file in pair)],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    printed = json.loads(done.stdout.splitlines()[-1])
    return {
        name: (printed[str(one)], printed[str(other)], one.read_bytes() != other.read_bytes(), ids[name])
        for name, (one, other) in files.items()
    }


@pytest.mark.parametrize("name", [*CORRECTED, *KEPT])
def test_a_program_that_works_prints_the_same_after_the_safe_corrections(results, name):
    before, after, is_changed, ids = results[name]
    assert "Error(" not in before and before == after
    assert is_changed is (name in CORRECTED) and name.split()[0] in ids
