"""S9: a check of the annotation file names ids without a category and gaps.

It reads the parsed JSON of the file, so it needs neither the images nor the model.

Symptom: none: id 9 has no category, and the ids are not 1 to 3
Needs:   torch; cpu; about 2 s
Run:     python fix_check_file.py
"""
import json
import sys


def category_problems(coco):  # FIX: before the first epoch
    """What a label map has to cope with in this file."""
    ids = sorted(category["id"] for category in coco["categories"])
    used = {annotation["category_id"] for annotation in coco["annotations"]}
    return {"without_category": sorted(used - set(ids)),
            "ids_with_gaps": ids if ids != list(range(1, len(ids) + 1)) else []}


if __name__ == "__main__":
    text = ('{"categories": [{"id": 7}, {"id": 1}, {"id": 4}],'
            ' "annotations": [{"category_id": 1}, {"category_id": 9}]}')
    found = category_problems(json.loads(text))
    plain = category_problems({"categories": [{"id": 1}, {"id": 2}],
                               "annotations": [{"category_id": 2}]})

    healthy = (found == {"without_category": [9], "ids_with_gaps": [1, 4, 7]}
               and plain == {"without_category": [], "ids_with_gaps": []})
    print("OBSERVED", json.dumps({"healthy": healthy, "found": found}))
    sys.exit(0 if healthy else 1)
