# Children started with -c, -m, -u, -O, -I, -S, -W and from standard input: their flags, argv and names.
import os
import subprocess
import sys

import torch

torch.set_num_threads(1)
show = "import sys, warnings; print(sys.argv, __name__, sys.flags.optimize, sys.flags.isolated, sys.flags.no_site, sys.dont_write_bytecode)"
show += "; warnings.warn('careful', DeprecationWarning); assert not __debug__"
for options in (["-c", show], ["-O", "-c", show], ["-I", "-c", show], ["-S", "-c", show], ["-W", "error", "-c", show], ["-B", "-", "arg"]):
    p = subprocess.run(
        [sys.executable, *options], input=show, stdout=subprocess.PIPE, stderr=subprocess.PIPE, universal_newlines=True
    )
    print(options[:-1], p.returncode, p.stdout.strip())
    print("   ", p.stderr.strip().splitlines())
with open("mod.py", "w") as f:
    f.write("import sys\nprint(__name__, __spec__.name, len(sys.argv), __file__[-6:], sorted(k for k in globals() if k[:2] != '__'))\n")
for cmd in (["-m", "mod", "x"], ["-B", "-m", "mod"], ["-m", "no_such_mod"], ["-u", "-m", "timeit", "-h"], ["-V"], ["no_such.py"]):
    p = subprocess.run([sys.executable, "-B", *cmd], stdout=subprocess.PIPE, stderr=subprocess.PIPE, universal_newlines=True)
    print(cmd, p.returncode, p.stdout.strip().splitlines()[:1], [s for s in p.stderr.splitlines() if "can't open" not in s][:2])
p = subprocess.run(["sh", "-c", f"echo 'print(1+1)' | {sys.executable} -i -q 2>&1; exit 6"], stdout=subprocess.PIPE, universal_newlines=True,
                   env=dict(os.environ, HOME="/nonexistent"))
print(p.returncode, p.stdout.split())
