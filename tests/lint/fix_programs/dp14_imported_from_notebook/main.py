import json

cells = json.load(open("use.ipynb"))["cells"]
exec("".join(cells[0]["source"]))
