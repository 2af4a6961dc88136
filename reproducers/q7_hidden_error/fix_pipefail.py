"""Q7: with pipefail a job ends when its training fails, also if the output goes to tee.

`set -o pipefail` gives a pipe the exit code of a command in it that failed. With `set -e` the job
then ends, and its exit code says so.

Symptom: none: the job ends with code 1 right after the training
Needs:   torch; cpu, linux; about 3 s
Run:     python fix_pipefail.py
"""
import json
import subprocess
import sys
import tempfile
from pathlib import Path

train = "import torch; torch.load('start.pt')"  # the file does not exist
job = """
set -e -o pipefail
"$PYTHON" train.py 2>&1 | tee train.log
echo evaluation
"""  # FIX: pipefail

if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "train.py").write_text(train)
        done = subprocess.run(["bash", "-c", job], cwd=folder, env={"PYTHON": sys.executable},
                              stdout=subprocess.PIPE, encoding="utf-8")
        failed = "FileNotFoundError" in Path(folder, "train.log").read_text()

    evaluated = done.stdout.endswith("evaluation\n")
    healthy = failed and done.returncode != 0 and not evaluated
    print("OBSERVED", json.dumps({"healthy": healthy, "training_failed": failed,
                                  "exit_code_of_job": done.returncode, "evaluated": evaluated}))
    sys.exit(0 if healthy else 1)
