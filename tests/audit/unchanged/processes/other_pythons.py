# Other interpreters that the program starts: isolated, without site, with an environment of its own.
import os
import subprocess
import sys

import torch  # noqa: F401

CODE = "import sys; print(sys.version_info[:2] >= (3,), 'torch' in sys.modules)"
for options in ([], ["-I"], ["-S"], ["-E"], ["-s", "-B"]):
    done = subprocess.run(
        [sys.executable, *options, "-c", CODE], stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    )
    print(options, done.returncode, done.stdout.decode())
done = subprocess.run([sys.executable, "-c", CODE], env={"PATH": os.environ["PATH"]}, stdout=subprocess.PIPE)
print(done.stdout.decode())
