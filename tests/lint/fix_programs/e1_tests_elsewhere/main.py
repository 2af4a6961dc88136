import sys

sys.path.insert(0, "src/pkg")
sys.path.insert(0, "tests")
from check import check

print(check())
