import sys

sys.path.insert(0, "checks")
import checker
