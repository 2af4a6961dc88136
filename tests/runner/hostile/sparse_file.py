import json
import sys

with open("sparse", "wb") as file:
    file.truncate(10 << 30)
    size = file.seek(0, 2)
print("OBSERVED", json.dumps({"healthy": False, "size": size}))
sys.exit(1)
