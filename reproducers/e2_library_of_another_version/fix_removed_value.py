"""E2: a value of an argument that Lightning 2 has.

auto takes one process for one device, and DDP for several.

Symptom: none
Needs:   torch, lightning; cpu; about 9 s
Run:     python fix_removed_value.py
"""
import json
import sys

try:
    import lightning
except ImportError:
    print("SKIPPED lightning is not installed")
    sys.exit(77)


if __name__ == "__main__":
    options = {"accelerator": "cpu", "logger": False, "enable_checkpointing": False}
    trainer = lightning.Trainer(strategy="auto", **options)  # FIX: a value that 2 has

    healthy = trainer.num_devices == 1
    print("OBSERVED", json.dumps({"healthy": healthy, "devices": trainer.num_devices}))
    sys.exit(0 if healthy else 1)
