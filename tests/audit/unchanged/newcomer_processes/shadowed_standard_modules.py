# A project folder with its own modules named like standard ones (queue, json, inspect, ...) and a torch stub of its own.
import os
import subprocess
import sys

names = ("queue", "json", "inspect", "platform", "statistics", "signal", "report", "audit", "config", "utils", "checks",
         "hooks", "secrets", "calendar", "difflib", "shlex", "dis", "uuid", "numbers", "copy", "random", "textwrap")
os.makedirs("project")
for n in names:
    with open(f"project/{n}.py", "w") as f:
        f.write(f"import sys\nprint('{n} of the project is imported', file=sys.stderr)\n")
with open("project/plain.py", "w") as f:
    f.write("import utils, config\nprint('plain')\n")
os.makedirs("stub/torch/nn")
with open("stub/torch/__init__.py", "w") as f:
    f.write("__version__ = 'stub'\nclass Tensor: pass\ndef __getattr__(name):\n    print('stub', name)\n    raise AttributeError(name)\n")
open("stub/torch/nn/__init__.py", "w").close()
with open("stub/main.py", "w") as f:
    f.write("import torch, torch.nn\nprint(torch.__version__, sorted(k for k in vars(torch) if k[:1] != '_'))\ntry:\n    import torch.utils.data\nexcept ImportError as e:\n    print(e)\n")
with open("none.py", "w") as f:
    f.write("import sys\nsys.modules['torch'] = None\ntry:\n    import torch\nexcept ImportError as e:\n    print(type(e).__name__, e)\n")
with open("mocked.py", "w") as f:
    f.write("import sys\nfrom unittest import mock\nsys.modules['torch'] = m = mock.MagicMock()\nimport torch\ntorch.ones(2)\nprint(m.mock_calls, torch is m)\n")
for script in ("project/plain.py", "stub/main.py", "none.py", "mocked.py"):
    p = subprocess.run([sys.executable, "-B", script], stdout=subprocess.PIPE, stderr=subprocess.PIPE, universal_newlines=True)
    print(script, p.returncode, p.stdout, p.stderr)
