"""E1: accelerator and devices in place of gpus.

accelerator names the kind of device, devices their number.

Symptom: none: a trainer for one device
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
    trainer = lightning.Trainer(accelerator="cpu", devices=2,  # FIX: "gpu" on a machine with GPUs
                                logger=False, enable_checkpointing=False)

    healthy = trainer.num_devices == 2
    print("OBSERVED", json.dumps({"healthy": healthy, "devices": trainer.num_devices}))
    sys.exit(0 if healthy else 1)
