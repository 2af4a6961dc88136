"""Measures how the time of `dpkb lint` grows with the length of a file: it should grow as the file does.

    python -m bench.lint_growth                      all generators, with 500, 1000 and 2000 repetitions
    python -m bench.lint_growth --sizes 1000,4000 train_loops
    python -m bench.lint_growth --rules train_loops  the slowest rules too

Prints the processor time for each size, and the exponent between the last two: 1 is linear, 2 is quadratic.
"""

from __future__ import annotations

import argparse
import ast
import math
import time

from dpkb.lint.rules import all_rules
from dpkb.lint.source_file import SourceFile
from dpkb.source_code.parsed_code import ParsedCode

_IMPORTS = """\
import os, cv2, numpy as np, torch, torch.distributed as dist, torch.nn.functional as F
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, Dataset, DistributedSampler, IterableDataset
from torch.optim.lr_scheduler import StepLR
from torchvision import transforms
"""
_MODEL = """\
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc, self.drop, self.bn = nn.Linear(4, 4), nn.Dropout(), nn.BatchNorm1d(4)
    def forward(self, x):
        return self.fc(self.drop(x))
class Data(Dataset):
    def __init__(self):
        self.cache = {}
    def __getitem__(self, i):
        self.cache[i] = torch.rand(4)
        return self.cache[i]
net, criterion, data = Net(), nn.CrossEntropyLoss(), Data()
optimizer = torch.optim.SGD(net.parameters(), 0.1)
scheduler = StepLR(optimizer, 1)
scaler = torch.cuda.amp.GradScaler()
loader = DataLoader(data, 8, True, num_workers=2)
"""
_STEP = """\
    for x, y in loader:
        out = net(x)
        loss = criterion(out, y)
        loss.backward()
        optimizer.step()
"""
# Name -> what stands before the repetitions, what is repeated, and what stands behind them.
# @ is the number of the repetition, ^ the number of the one before.
GENERATORS: dict[str, tuple[str, str, str]] = {
    "assign_chain": ("x0 = nn.Linear(1, 1)\n", "x@ = x^\n", ""),
    "assign_chain_calls": ("x0 = torch.ones(1)\n", "x@ = F.relu(x^)\n", "x.backward()\n"),
    "assign_chain_methods": ("x0 = nn.Linear(1, 1)\n", "x@ = x^.cuda()\n", ""),
    "assign_chain_reversed": ("", "x^ = x@\n", ""),
    "double_chain": ("x0 = y0 = nn.Linear(1, 1)\n", "x@, y@ = y^, x^\n", ""),
    "conditional_chain": ("x0 = nn.Linear(1, 1)\n", "x@ = x^ if a else y^\ny@ = x^\n", ""),
    "subscript_chain": ("x0 = [nn.Linear(1, 1)]\n", "x@ = [x^[0]]\n", ""),
    "dict_chain": ("x0 = nn.Linear(1, 1)\n", 'x@ = {"a": x^}["a"]\n', ""),
    "attribute_chain": (
        "class A(nn.Module):\n    def __init__(self):\n        self.x0 = nn.Linear(1, 1)\n",
        "        self.x@ = self.x^\n",
        "",
    ),
    "functions_mutual": (
        "def f0(a):\n    return nn.Linear(a, a)\n",
        "def f@(a):\n    return f^(a)\n",
        "f@(net)\n",
    ),
    "functions_cycle": (
        "",
        "def f@(a):\n    b = f^(a)\n    return f^(b)\n",
        "def f0(a):\n    return f1(a)\n",
    ),
    "functions_down": ("", "def f^(a):\n    x = a(a)\n    f@(a)\n", "f0(net)\n"),
    "functions_gradients": (
        "def f0(x):\n    return net(x)\n",
        "def f@(x):\n    y = f^(x)\n    return y\n",
        "with torch.no_grad():\n    net.eval()\n",
    ),
    "methods_chain": (
        "class A(nn.Module):\n    def forward(self, x):\n        return self.m1(x)\n    def m0(self, x):\n"
        "        return nn.Linear(1, 1)(x)\n",
        "    def m^(self, x):\n        return self.m@(x)\n",
        "",
    ),
    "train_loops": (_MODEL, _STEP.replace("    for", "for", 1).replace("\n    ", "\n"), ""),
    "train_functions": (_MODEL, "def train@(net, loader, criterion, optimizer):\n" + _STEP, ""),
    "train_functions_own": (
        _MODEL,
        "def train@():\n    net, loader, optimizer = Net(), DataLoader(data), torch.optim.Adam(net.parameters())\n"
        + _STEP
        + "train@()\n",
        "",
    ),
    "train_with_eval": (
        _MODEL,
        "for x, y in loader:\n    loss = criterion(net(x), y)\n    loss.backward()\n    optimizer.step()\n"
        "    total += loss\n    losses.append(loss)\nnet.eval()\nfor x, y in val_loader:\n    out = net(x)\n"
        "    val += criterion(out, y)\n",
        "",
    ),
    "with_eval": (_MODEL, "net.eval()\nwith torch.no_grad():\n    out = net(x)\nnet.train()\n", ""),
    "nested_epochs": (
        _MODEL,
        "for epoch in range(2):\n    net.train()\n" + _STEP + "    scheduler.step()\n    net.eval()\n"
        "    for x, y in val_loader:\n        out = net(x)\n        total += out\n",
        "",
    ),
    "one_loop": (
        _MODEL + "for x, y in loader:\n",
        "    out@ = net(x)\n    loss@ = criterion(out@, y)\n    optimizer.zero_grad()\n    loss@.backward()\n"
        "    optimizer.step()\n    total@ += loss@\n    scheduler.step()\n",
        "",
    ),
    "gan_loop": (
        _MODEL + "netD = Net()\noptD = torch.optim.Adam(netD.parameters())\nfor x, y in loader:\n",
        "    fake@ = net(x)\n    d@ = netD(fake@)\n    lossD = criterion(d@, y)\n    lossD.backward()\n    optD.step()\n"
        "    lossG = criterion(netD(fake@), y)\n    lossG.backward()\n    optimizer.step()\n",
        "",
    ),
    "amp_loop": (
        _MODEL + "for x, y in loader:\n",
        "    with torch.autocast('cuda'):\n        loss@ = criterion(net(x.cuda()), y)\n"
        "    scaler.scale(loss@).backward()\n    nn.utils.clip_grad_norm_(net.parameters(), 1)\n"
        "    scaler.step(optimizer)\n    scaler.update()\n",
        "",
    ),
    "accumulation": (
        _MODEL,
        "for i, (x, y) in enumerate(loader):\n    loss = criterion(net(x), y) / 4\n    loss.backward()\n"
        "    if (i + 1) % 4 == 0:\n        nn.utils.clip_grad_norm_(net.parameters(), 1)\n        optimizer.step()\n",
        "",
    ),
    "nested_branches": (
        _MODEL + "for x, y in loader:\n    loss = criterion(net(x), y)\n",
        "    if x > @:\n        loss.backward()\n        continue\n    elif y:\n        optimizer.step()\n    else:\n"
        "        loss = loss.item()\n",
        "",
    ),
    "continues": (
        _MODEL + "net = DDP(net)\nfor x, y in loader:\n",
        "    if y.sum() > @:\n        continue\n",
        "    loss = net(x)\n    loss.backward()\n    optimizer.step()\n",
    ),
    "many_models": (
        _MODEL,
        "net@ = Net()\nopt@ = torch.optim.SGD(net@.parameters(), 0.1)\nsched@ = StepLR(opt@, 1)\n",
        "",
    ),
    "many_models_trained": (
        _MODEL,
        "net@ = Net()\nopt@ = torch.optim.SGD(net@.parameters(), 0.1)\nsched@ = StepLR(opt@, 1)\n"
        "for x, y in loader:\n    opt@.zero_grad()\n    loss = criterion(net@(x), y)\n    loss.backward()\n"
        "    opt@.step()\n    sched@.step()\nnet@.eval()\nnet@.forward(x)\n",
        "",
    ),
    "many_models_frozen": (
        _MODEL,
        "net@ = Net()\nfor p in net@.parameters():\n    p.requires_grad = False\nnet@.train()\n"
        "net@.fc.requires_grad_(False)\nnet@.head = nn.Linear(1, 1)\nnet@.requires_grad = False\n",
        "",
    ),
    "many_optimizers": (_MODEL, "optimizer = torch.optim.SGD(net.parameters(), @)\noptimizer.step()\n", ""),
    "many_loaders": (_MODEL, "loader@ = DataLoader(data, 8, True, num_workers=2, pin_memory=True)\n", ""),
    "many_loaders_used": (
        _MODEL,
        "train@ = DataLoader(data, 8, True, num_workers=2)\nfor x, y in train@:\n    loss = criterion(net(x), y)\n"
        "    loss.backward()\n    optimizer.step()\n",
        "",
    ),
    "many_samplers": (
        _MODEL + "net = DDP(net)\n",
        "sampler@ = DistributedSampler(data)\nloader@ = DataLoader(data, 8, sampler=sampler@)\n"
        "for epoch in range(9):\n    for x in loader@:\n        net(x).backward()\n",
        "",
    ),
    "many_datasets": (
        "",
        "class Data@(Dataset):\n    def __init__(self):\n        self.cache = {}\n        self.file = open('f')\n"
        "    def __getitem__(self, i):\n        self.cache[i] = np.random.rand()\n        return self.cache[i]\n"
        "loader@ = DataLoader(Data@(), num_workers=2)\n",
        "",
    ),
    "many_iterable_datasets": (
        "",
        "class Data@(IterableDataset):\n    def __iter__(self):\n        for i in range(9):\n            yield i\n"
        "loader@ = DataLoader(Data@(), num_workers=2)\n",
        "",
    ),
    "many_classes": (
        "",
        "class Net@(nn.Module):\n    def __init__(self):\n        super().__init__()\n        self.fc = nn.Linear(4, 4)\n"
        "        self.mask = torch.ones(4)\n        self.layers = [nn.Linear(1, 1) for _ in range(3)]\n"
        "    def forward(self, x):\n        return self.fc(x) * self.mask\n",
        "",
    ),
    "same_class_name": (
        "",
        "class Net(nn.Module):\n    def __init__(self):\n        self.mask = torch.ones(4)\n"
        "        self.layers = [nn.Linear(1, 1)]\n    def forward(self, x):\n        return x * self.mask\n",
        "",
    ),
    "inheritance": (
        "class Net0(nn.Module): pass\n",
        "class Net@(Net^):\n    def forward(self, x): return x\n",
        "",
    ),
    "star_inheritance": (
        "class Net0(nn.Module):\n    def __init__(self):\n        self.mask = torch.ones(4)\n",
        "class Net@(Net0):\n    def forward(self, x): return x * self.mask\n",
        "",
    ),
    "dict_layers": (
        "class Net(nn.Module):\n    def __init__(self):\n        super().__init__()\n",
        "        self.layers@ = {'a': nn.Linear(1, 1)}\n",
        "    def forward(self, x):\n        return x\n",
    ),
    "list_layers": (
        "class Net(nn.Module):\n    def __init__(self):\n        super().__init__()\n",
        "        self.layers@ = [nn.Linear(1, 1) for _ in range(3)]\n",
        "    def forward(self, x):\n        return x\n",
    ),
    "list_layers_used": (
        "class Net(nn.Module):\n    def __init__(self):\n        super().__init__()\n        self.layers0 = []\n",
        "        self.layers@ = []\n        for i in range(3):\n            self.layers@.append(nn.Linear(1, 1))\n",
        "    def forward(self, x):\n        for layer in self.layers0:\n            x = layer(x)\n        return x\n",
    ),
    "appended_layers": (
        "class Net(nn.Module):\n    def __init__(self):\n        super().__init__()\n        self.layers = []\n",
        "        self.layers.append(nn.Linear(1, 1))\n",
        "    def forward(self, x):\n        for layer in self.layers:\n            x = layer(x)\n        return x\n",
    ),
    "tensor_attributes": (
        "class Net(nn.Module):\n    def __init__(self):\n        super().__init__()\n",
        "        self.mask@ = torch.ones(@)\n        self.register_buffer('b@', torch.rand(1), persistent=False)\n",
        "    def forward(self, x):\n        return x * self.mask1 * self.b1\n",
    ),
    "attributes_used": (
        "class Net(nn.Module):\n    def __init__(self):\n        super().__init__()\n        self.fc = nn.Linear(1, 1)\n",
        "        self.mask@ = torch.ones(@)\n    def m@(self, x):\n        self.b@ = x * self.mask@\n        return self.fc(x)\n"
        "    def init@(self):\n",
        "        pass\n    def forward(self, x):\n        return self.m1(x)\n",
    ),
    "layers_used": (
        "class Net(nn.Module):\n    def __init__(self):\n        super().__init__()\n        self.fc = nn.Linear(1, 1)\n"
        "    def forward(self, x):\n",
        "        h@ = self.fc(x)\n        h@ = F.relu(h@)\n        h@ += x\n        x = h@.chunk(2)[0]\n",
        "        return x\n",
    ),
    "splits": (
        "class Net(nn.Module):\n    def __init__(self):\n        self.fc = nn.Linear(1, 1)\n    def forward(self, x):\n",
        "        q@, k@ = self.fc(x).chunk(2)\n        q@ *= 2\n        a@ = torch.sigmoid(k@)\n        a@ += 1\n",
        "        return x\n",
    ),
    "sequential": ("s = nn.Sequential(\n", "    nn.Linear(4, 4), nn.ReLU(), nn.Dropout(0.1, True),\n", ")\n"),
    "sequential_added": (
        "s = nn.Sequential()\n",
        "s.add_module('l@', nn.Linear(4, 4))\ns.append(nn.Softmax())\nloss = nn.CrossEntropyLoss()(s(x), y)\n",
        "",
    ),
    "losses": (_MODEL, "out@ = F.softmax(net(x), 1)\nloss@ = criterion(out@, y)\n", ""),
    "rebound_name": (_MODEL, "x = F.softmax(x, 1)\nloss = F.cross_entropy(x, y)\n", ""),
    "rebound_function": (
        _MODEL + "def step(x, y):\n",
        "    x = F.softmax(x, 1)\n    loss = F.cross_entropy(x, y)\n    x = x * y\n",
        "",
    ),
    "rebound_model": (_MODEL, "net = Net()\nnet = net.cuda()\nnet = DDP(net)\nout = net(x)\n", ""),
    "appends": (
        _MODEL + "for x, y in loader:\n    out = net(x)\n",
        "    outs@.append(out)\n    total@ += out\n",
        "",
    ),
    "appends_one": (
        _MODEL + "outs = []\nfor x, y in loader:\n    out = net(x)\n    loss = criterion(out, y)\n",
        "    outs.append(loss)\n    total += loss\n    total = total + loss\n",
        "    loss.backward()\n",
    ),
    "hooks": (
        _MODEL + "for i in range(9):\n",
        "    net.fc.register_forward_hook(h@)\n    net.forward(i)\n",
        "",
    ),
    "hook_functions": (
        _MODEL,
        "def hook@(m, i, o):\n    m.forward(i)\nnet.register_forward_hook(hook@)\n",
        "",
    ),
    "forwards": (_MODEL, "out@ = net.forward(x)\n", ""),
    "images": (
        "class Data(Dataset):\n    def __getitem__(self, i):\n",
        "        image@ = cv2.imread(self.files[@])\n        image@ = image@ / 255\n        x@ = transforms.ToTensor()(image@)\n",
        "        return x1\n",
    ),
    "image_functions": (
        "",
        "def read@(path):\n    image = cv2.imread(path)\n    return image\ndef use@(path):\n    image = read@(path)\n"
        "    return torch.from_numpy(image[..., 0][()])\n",
        "",
    ),
    "image_one_function": (
        "def read(path):\n    image = cv2.imread(path)\n    return image\n",
        "def use@(path):\n    image = read(path)\n    return torch.from_numpy(image)\n",
        "",
    ),
    "transforms": (
        "",
        "t@ = transforms.Compose([transforms.Normalize(0, 1), transforms.ToTensor()])\nx@ = t@(np.array(x).astype(float)) / 255\n",
        "",
    ),
    "collectives": (
        "",
        "if dist.get_rank() == 0:\n    dist.barrier()\n    x.backward()\nelse:\n    dist.all_reduce(x)\n",
        "",
    ),
    "collective_helpers": (
        "",
        "def sync@(x):\n    dist.all_reduce(x)\nif rank == 0:\n    sync@(x)\n",
        "",
    ),
    "rank_checkpoints": (
        _MODEL + "net = DDP(net)\n",
        "if rank == 0:\n    torch.save(net.state_dict(), 'f@')\nnet.load_state_dict(torch.load('f@'))\n",
        "",
    ),
    "checkpoints": (
        _MODEL,
        "torch.save({'model': net.state_dict(), 'epoch': @}, 'f@')\nc@ = torch.load('f@')\nnet.load_state_dict(c@['model'])\n",
        "",
    ),
    "workers": (
        "",
        "def init@(i):\n    np.random.seed(@)\nl@ = DataLoader(d, num_workers=2, worker_init_fn=init@, collate_fn=lambda b: b)\n"
        "for e in range(3):\n    for x in l@:\n        x.to('cuda')\n",
        "",
    ),
    "iterators": (_MODEL, "it@ = iter(loader)\nx@ = it@.next()\ny@ = next(iter(loader))\n", ""),
    "flags": (
        _MODEL,
        "ap.add_argument('--local_rank')\nos.environ['MASTER_PORT'] = '@'\nargs.local_rank\n",
        "",
    ),
    "tokens": (
        _MODEL,
        "t@ = tok(x, padding=True)\nlabels = t@['input_ids'].clone()\nd@ = {'labels': input_ids}\n",
        "",
    ),
    "masks": (_MODEL, "loss@ = (loss * mask).mean()\nl@ = -(y * torch.log(p)).sum() / torch.sqrt(x)\n", ""),
    "views": (
        _MODEL + "for x, y in loader:\n",
        "    h@ = x.view(64, -1)\n    c@ = torch.zeros(64, 8)\n    h = net(c@, h)\n",
        "",
    ),
    "devices": (
        _MODEL + "net.cuda()\nfor x, y in loader:\n",
        "    a@ = x.cuda()\n    b@ = net(y)\n    z@ = a@.half()\n",
        "",
    ),
    "gradients": (
        _MODEL,
        "x@ = torch.ones(1, requires_grad=True)\nwith torch.no_grad():\n    y@ = x@ * 2\ny@.backward()\nw@ = x@.detach()\nw@.backward()\n",
        "",
    ),
    "many_functions": (
        "",
        "def f@(a, b=1, *c, d, **e):\n    if a:\n        return b\n    for x in c:\n        d[x] = e\n",
        "",
    ),
    "one_function": (
        "def f(a):\n",
        "    if a == @:\n        b = g(a)\n        b[@] = [c for c in b if c]\n        return b\n",
        "",
    ),
    "elif_chain": ("if a:\n    b()\n", "elif a == @:\n    x = net(a)\n", "else:\n    pass\n"),
    "attribute_depth": ("a0 = net\n", "a@ = net.b@.c@.d@.e@.f@\na@.g.h.i(a^.x.y)\n", ""),
    "imports": ("", "import module@\nfrom pack@ import Name@, other@ as o@\no@.x(Name@())\n", ""),
    "globals": (_MODEL, "counter@ = 0\ndef f@():\n    global counter@\n    counter@ += 1\n", ""),
    "strings": ("", 's@ = f"{a!r:>{b}} {c}" "text"\n', ""),
    "comprehensions": ("", "c@ = [net(x) for x in loader if x for y in x]\nd@ = {k: v for k, v in c@}\n", ""),
    "tries": (_MODEL, "try:\n    x = net(x)\nexcept RuntimeError as e:\n    del x\nfinally:\n    gc()\n", ""),
    "one_list": ("x = [\n", "    nn.Linear(@, 1),\n", "]\n"),
    "one_dict": ("x = {\n", "    '@': nn.Linear(@, 1),\n", "}\ny = x['1']\nz = x[k]\n"),
    "one_dict_read": ("x = {\n    'a': 1,\n}\n", "y@ = x['k@']\nx['k@'] = net\n", ""),
    "one_call": ("f(\n", "    net, x@, a@=net(x),\n".replace("net, x@, ", ""), ")\n"),
    "one_sum": ("x = (0\n", "    + a@\n", ")\n"),
}


def main() -> None:
    """Print the time of each generator for each size."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("names", nargs="*", metavar="GENERATOR", help=f"of {', '.join(GENERATORS)}")
    parser.add_argument("--sizes", default="500,1000,2000", metavar="N,N...")
    parser.add_argument("--rules", action="store_true", help="the slowest rules of each, too")
    options = parser.parse_args()
    sizes = [int(size) for size in options.sizes.split(",")]
    for name in options.names or GENERATORS:
        results = [time_rules(generate(name, size)) for size in sizes]
        totals = [sum(result.values()) for result in results]
        print(f"{name:22}{grow(sizes, totals)}", flush=True)
        if options.rules:
            for rule in sorted(results[-1], key=results[-1].__getitem__, reverse=True)[:5]:
                print(f"    {rule:18}{grow(sizes, [result[rule] for result in results])}", flush=True)


def generate(name: str, number: int) -> str:
    """The file of this generator with that many repetitions."""
    start, repeated, end = GENERATORS[name]
    parts = (repeated.replace("@", str(i)).replace("^", str(i - 1)) for i in range(1, number + 1))
    return "".join([_IMPORTS, start, *parts, end])


def grow(sizes: list[int], seconds: list[float]) -> str:
    """The times in columns, and the exponent of the growth between the last two."""
    exponent = math.log(seconds[-1] / seconds[-2]) / math.log(sizes[-1] / sizes[-2]) if len(sizes) > 1 else 0
    return "".join(f"{value:9.3f} s" for value in seconds) + f"{exponent:7.2f}"


def time_rules(text: str) -> dict[str, float]:
    """The processor time of parsing and indexing, and of each rule in turn: the first that asks pays."""
    start = time.process_time()
    file = SourceFile(ParsedCode("generated.py", text, ast.parse(text)))
    seconds = {"parse": time.process_time() - start}
    for rule_id, rule in all_rules().items():
        start = time.process_time()
        try:
            for _ in rule.check(file):
                pass
        except Exception as error:
            print(f"    {rule_id}: {type(error).__name__}", end="")
        seconds[rule_id] = time.process_time() - start
    file.release()
    return seconds


if __name__ == "__main__":
    main()
