# code.InteractiveConsole and exec(), as notebooks run their cells, with lines that have no file.
import code
import linecache

CELL = """import torch
class Net(torch.nn.Module):
    def forward(self, x):
        return torch.nn.functional.mse_loss(x, torch.zeros(2))
net = Net()
net.register_forward_hook(lambda module, inputs, output: print("hook", output.item()))
net(torch.ones(2))
"""
linecache.cache["<cell 1>"] = (len(CELL), None, CELL.splitlines(True), "<cell 1>")
names = {"__name__": "__main__"}
exec(compile(CELL, "<cell 1>", "exec"), names)
console = code.InteractiveConsole(names)
for line in ("net", "torch.save.__name__", "net(torch.ones(3))", "1 / 0"):
    try:
        console.push(line)
    except SystemExit as error:
        print(error)
import inspect  # noqa: E402

print(inspect.getsource(names["Net"].forward))
