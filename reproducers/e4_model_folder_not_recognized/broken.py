"""E4: config.json names a model type that this transformers does not know.

Here the class is the user's own, and was not registered. With a model of the Hub, the class is in a
newer release of transformers.

Symptom: ValueError: The checkpoint you are trying to load has model type `pair_net` but
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
        config = AutoConfig.from_pretrained(folder)  # BUG: nobody has told it about pair_net

    healthy = config.width == 4

    print("OBSERVED", json.dumps({"healthy": healthy, "width": config.width}))
    sys.exit(0 if healthy else 1)
