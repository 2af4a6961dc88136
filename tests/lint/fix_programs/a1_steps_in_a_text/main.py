import subprocess, sys
STEPS = '''
prepare.py
jobs/train.py
'''
for s in STEPS.split():
    print(s, subprocess.run([sys.executable, s], capture_output=True).returncode)
