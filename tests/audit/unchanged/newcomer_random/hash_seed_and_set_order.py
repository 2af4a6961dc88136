# The order of sets of strings depends on PYTHONHASHSEED; children with a fixed and with a random seed are compared.
import os
import subprocess
import sys

code = "import torch; print(list({'a', 'b', 'c', 'd', 'train', 'valid'}), hash('x') % 1000, __import__('sys').flags.hash_randomization)"
env = dict(os.environ)
for seed in ("0", "42"):
    env["PYTHONHASHSEED"] = seed
    p = subprocess.run([sys.executable, "-c", code], env=env, stdout=subprocess.PIPE, universal_newlines=True)
    print(seed, p.stdout.strip())
env["PYTHONHASHSEED"] = "random"
p = subprocess.run([sys.executable, "-c", "import sys; print(sys.flags.hash_randomization, 'torch' in sys.modules)"], env=env,
                   stdout=subprocess.PIPE, universal_newlines=True)
print(p.stdout.strip(), os.environ.get("PYTHONHASHSEED"))
