import subprocess, sys
for name in ("first job", "second job"):
    p = subprocess.run([sys.executable, "jobs/" + name + ".py"], capture_output=True)
    print(name, p.returncode)
