# Under torchrun one rank exits with code 9 and the other is terminated; the launcher's exit code and error are shown.
# needs: torch>=1.10
import re
import subprocess
import sys

with open("fail.py", "w") as f:
    f.write("import os, sys, time\nif os.environ['RANK'] == '1':\n    print('leaving', flush=True)\n    sys.exit(9)\ntime.sleep(60)\n")
cmd = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc_per_node", "2", "fail.py"]
p = subprocess.run(cmd, stdout=subprocess.PIPE, stderr=subprocess.PIPE, universal_newlines=True)
print(p.returncode, repr(p.stdout))
print(sorted(set(re.findall(r"exitcode *: *\S+|local_rank *: *\S+|rank *: *\S+|ChildFailedError", p.stderr))))
