import json
import os
import sys
import tempfile

token = os.environ["HOSTILE_TOKEN"]


def reaches(folder):
    """Whether a file can be created in this folder, or an existing file be changed."""
    reached = False
    try:
        names = [os.path.join(folder, name) for name in os.listdir(folder)]
        for name in filter(os.path.isfile, names):
            with open(name, "ab"):
                reached = True
    except OSError:
        pass
    try:
        with open(os.path.join(folder, token), "w") as file:
            file.write("x")
        return True
    except OSError:
        return reached


others = [path for path in os.environ["HOSTILE_FOLDERS"].split(os.pathsep) if reaches(path)]
own = [reaches(path) for path in (os.path.expanduser("~"), tempfile.gettempdir(), "/dev/shm", "/var/tmp")]
print("OBSERVED", json.dumps({"healthy": False, "others": others, "own": own}))
sys.exit(1)
