import subprocess
import sys

print(subprocess.run([sys.executable, "-c", "import jobs.train"], stderr=subprocess.DEVNULL).returncode)
