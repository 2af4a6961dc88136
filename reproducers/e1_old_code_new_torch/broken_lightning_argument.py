"""E1: Trainer of a newer Lightning does not know gpus.

The argument was removed: accelerator and devices say the same.

Symptom: TypeError: Trainer.__init__() got an unexpected keyword argument 'gpus'
Needs:   torch, lightning; cpu; about 6 s
Run:     python broken_lightning_argument.py; python fix_lightning_argument.py
"""
import json
import sys

try:
    import lightning
except ImportError:
    print("SKIPPED lightning is not installed")
    sys.exit(77)

if __name__ == "__main__":
    trainer = lightning.Trainer(gpus=0, logger=False, enable_checkpointing=False)  # BUG: removed

    healthy = trainer.num_devices == 1
    print("OBSERVED", json.dumps({"healthy": healthy, "devices": trainer.num_devices}))
    sys.exit(0 if healthy else 1)
