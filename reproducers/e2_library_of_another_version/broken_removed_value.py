"""E2: a value of an argument that Lightning 2 has removed.

The argument strategy is there, and its value dp is not.

Symptom: ValueError: You selected an invalid strategy name: `strategy='dp'`
Needs:   torch, lightning; cpu; about 9 s
Run:     python broken_removed_value.py
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
    trainer = lightning.Trainer(strategy="dp", **options)  # BUG: gone since 2.0

    healthy = trainer.num_devices == 1
    print("OBSERVED", json.dumps({"healthy": healthy, "devices": trainer.num_devices}))
    sys.exit(0 if healthy else 1)
