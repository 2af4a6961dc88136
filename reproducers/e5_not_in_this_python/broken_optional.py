"""E5: a class of transformers needs a package that transformers does not install.

The import works. When the class is made, the library looks for the package and says that it is
not there.

Symptom: ImportError: TimmBackbone requires the timm library but it was not found in your …
Needs:   torch, transformers; cpu; about 10 s
Run:     python broken_optional.py
"""
import json
import sys

try:
    from transformers import TimmBackbone, TimmBackboneConfig
except ImportError:
    print("SKIPPED transformers is not installed")
    sys.exit(77)

try:
    import timm
except ImportError:
    timm = None

if __name__ == "__main__":
    if timm is not None:
        print("SKIPPED timm is installed")
        sys.exit(77)
    config = TimmBackboneConfig(backbone="resnet18", use_pretrained_backbone=False)
    model = TimmBackbone(config)  # BUG: transformers brings no timm

    weights = sum(parameter.numel() for parameter in model.parameters())
    healthy = weights > 0
    print("OBSERVED", json.dumps({"healthy": healthy, "weights": weights}))
    sys.exit(0 if healthy else 1)
