import sys

sys.path[:0] = ["tests", "src"]
import check_backward
