"""C34: a whole model from an older torch lacks an attribute that a layer has gained since.

The object is restored with the attributes that it had. __init__() is not called, so an attribute
that newer code relies on is missing. The same happens with your own classes.

Symptom: AttributeError: 'GELU' object has no attribute 'approximate'
Needs:   torch; cpu; about 3 s
Run:     python broken_old_object.py
"""
import inspect
import json
import os
import sys
import tempfile

import torch

# From torch 2.6 on, torch.load() takes whole objects only with this; before 1.13 it is unknown.
known = "weights_only" in inspect.signature(torch.load).parameters
whole = {"weights_only": False} if known else {}


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "model.pt")
        layers = [torch.nn.Linear(4, 1), torch.nn.GELU()]
        trained = torch.nn.Sequential(*layers)
        expected = trained(torch.ones(2, 4)).tolist()
        vars(layers[1]).pop("approximate", None)  # torch 1.11 and older had no such attribute
        torch.save(trained, path)
        model = torch.load(path, **whole)  # BUG: an old object with new code
        output = model(torch.ones(2, 4)).tolist()

    healthy = output == expected
    print("OBSERVED", json.dumps({"healthy": healthy, "outputs": len(output)}))
    sys.exit(0 if healthy else 1)
