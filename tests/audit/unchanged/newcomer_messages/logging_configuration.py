# The logging tree, handlers, levels and records of a program that configures logging and trains.
import io
import logging
import logging.config
import sys

import torch
from torch import nn
from torch.utils.data import DataLoader

torch.manual_seed(0)
torch.set_num_threads(1)
print(logging.root.handlers, logging.root.level, logging.lastResort.level, logging.getLogRecordFactory().__name__, logging.raiseExceptions)
stream = io.StringIO()
logging.basicConfig(stream=stream, level=logging.DEBUG, format="%(levelname)s %(name)s %(funcName)s %(lineno)d %(message)s")
log = logging.getLogger("train")
net = nn.Linear(1, 1)
opt = torch.optim.SGD(net.parameters(), lr=0.1)


class Log(nn.Module):
    def forward(self, x):
        log.debug("forward %s", x.tolist(), stacklevel=1)
        return x


model = nn.Sequential(net, Log())
for x in DataLoader(torch.ones(2, 1)):
    opt.zero_grad()
    model(x).sum().backward()
    opt.step()
    log.info("step %.3f", net.weight.item())
try:
    model(torch.ones(1, 2))
except RuntimeError:
    log.exception("failed")
text = stream.getvalue()
print(text.split("Traceback")[0], text.splitlines()[-1])
print([k for k in logging.root.manager.loggerDict if not k.startswith(("torch", "filelock", "asyncio", "concurrent", "sympy", "numpy"))], logging.root.manager.disable)
logging.config.dictConfig({"version": 1, "disable_existing_loggers": True, "root": {"level": "ERROR", "handlers": []}})
print(log.disabled, len(logging.root.handlers), logging.root.level)
logging.captureWarnings(True)
handler = logging.StreamHandler(sys.stdout)
logging.getLogger("py.warnings").addHandler(handler)
nn.functional.mse_loss(torch.ones(1, 1), torch.ones(1, 1))
print("end")
