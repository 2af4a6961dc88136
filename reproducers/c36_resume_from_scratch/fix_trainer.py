"""C36: a resumed Trainer with a higher max_steps makes the missing steps.

max_steps is the number of steps of the whole training: those of the checkpoint, and those to come.

Symptom: none: 4 more steps, and a loss
Needs:   torch, transformers, accelerate, datasets; cpu; about 12 s
Run:     python fix_trainer.py
"""
import json
import sys
import tempfile

try:
    import accelerate  # noqa: F401: Trainer needs it
    import transformers
    from datasets import Dataset
    from transformers import BertConfig, BertForSequenceClassification, Trainer, TrainingArguments
except ImportError:
    print("SKIPPED transformers, accelerate or datasets is not installed")
    sys.exit(77)

if tuple(map(int, transformers.__version__.split(".")[:2])) < (4, 47):
    print("SKIPPED transformers before 4.47 cannot load its random state with torch 2.6 or newer")
    sys.exit(77)

config = BertConfig(vocab_size=50, hidden_size=16, num_hidden_layers=1, num_attention_heads=2,
                    intermediate_size=16, num_labels=2)
rows = [{"input_ids": [1, 2, 3, 4], "attention_mask": [1, 1, 1, 1], "labels": n % 2}
        for n in range(8)]


def train(folder, max_steps, resume):
    args = TrainingArguments(folder, max_steps=max_steps, per_device_train_batch_size=4,
                             save_steps=4, report_to=[], disable_tqdm=True)
    trainer = Trainer(model=BertForSequenceClassification(config), args=args,
                      train_dataset=Dataset.from_list(rows))
    result = trainer.train(resume_from_checkpoint=resume)
    return result.global_step, result.training_loss


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        first, _ = train(folder, max_steps=4, resume=False)
        second, loss = train(folder, max_steps=8, resume=True)  # FIX: 4 steps more than are done

    healthy = second - first == 4 and loss > 0
    print("OBSERVED", json.dumps({"healthy": healthy, "steps_before": first,
                                  "steps_after_resume": second - first, "train_loss": loss}))
    sys.exit(0 if healthy else 1)
