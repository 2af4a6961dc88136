"""E4: the model type is registered before the folder is read.

With a model of the Hub, a newer transformers does the same: it registers more types.

Symptom: none: the width of the saved config
Needs:   torch, transformers; cpu; about 8 s
Run:     python broken.py; python fixed.py; diff broken.py fixed.py
"""
import json
import sys
import tempfile

try:
    from transformers import AutoConfig, PretrainedConfig
except ImportError:
    print("SKIPPED transformers is not installed")
    sys.exit(77)


class PairConfig(PretrainedConfig):
    model_type = "pair_net"

    def __init__(self, width=8, **kwargs):
        self.width = width
        super().__init__(**kwargs)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        PairConfig(width=4).save_pretrained(folder)
        AutoConfig.register("pair_net", PairConfig)  # FIX: now the type is known
        config = AutoConfig.from_pretrained(folder)

    healthy = config.width == 4

    print("OBSERVED", json.dumps({"healthy": healthy, "width": config.width}))
    sys.exit(0 if healthy else 1)
