"""The code of a program without torch that writes the journal of an audited process with DP1."""

# The finding is about the line with the loader.
FINDS_DP1 = """
import json, os
loader = None
with open(os.path.join(os.environ["DPKB_AUDIT_FOLDER"], "1-1.jsonl"), "w") as journal:
    for line in ({"kind": "process", "pid": 1, "python": "3.11.7", "torch": "2.4.1"},
                 {"kind": "finding", "id": "DP1", "certainty": "certain", "message": "equal", "fix": "a fix",
                  "where": [__file__, 3]}):
        print(json.dumps(line), file=journal)
"""
