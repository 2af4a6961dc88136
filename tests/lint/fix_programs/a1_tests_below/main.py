import sys

sys.path.insert(0, "tests")
import check_backward
