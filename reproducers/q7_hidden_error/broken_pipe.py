"""Q7: a job goes on to evaluation after a training that failed, because its output goes to tee.

A shell reports the exit code of the last command of a pipe. That is tee, which succeeds, so neither
`set -e` nor the scheduler notices that python failed.

Symptom: the job ends with code 0, and the evaluation runs without a new checkpoint
Needs:   torch; cpu, linux; about 3 s
Run:     python broken_pipe.py; python fix_pipefail.py
"""
import json
import subprocess
import sys
import tempfile
from pathlib import Path

train = "import torch; torch.load('start.pt')"  # the file does not exist
job = """
set -e
"$PYTHON" train.py 2>&1 | tee train.log
echo evaluation
"""  # BUG: the exit code of the pipe is that of tee

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
