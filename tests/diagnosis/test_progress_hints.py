"""Hints from the numbers in progress lines, as common loggers write them."""

import io
import json
import random
import re
from pathlib import Path

import pytest
from support import ROOT

from dpkb.catalogue.load import load
from dpkb.diagnosis import log, progress_hints
from dpkb.diagnosis.conclusion import diagnose
from dpkb.diagnosis.match import Signatures
from dpkb.diagnosis.progress_hints import find_hints
from dpkb.diagnosis.progress_numbers import ProgressNumbers
from dpkb.paths import find_built_in_catalogue

DRAW = random.Random(5)
KNOWN = {entry.id: entry for entry in load([find_built_in_catalogue()])}
SIGNATURES = Signatures(KNOWN.values())


def plain(step, loss, **_):
    return f"epoch 1 iter {step} loss {loss}\n"


def bar(step, loss, **_):
    return f"\rEpoch 0:  {step % 100}%|####  | {step}/1000 [00:10<00:12,  3.2it/s, loss={loss}, v_num=7]"


def trainer(step, loss, **_):
    return f"{{'loss': {loss}, 'grad_norm': 1.5, 'learning_rate': 5e-05, 'epoch': {step / 100:.2f}}}\n"


def mmengine(step, loss, time=0.5, data=0.007, memory=3011):
    return (
        f"2026/05/05 12:00:00 - mmengine - INFO - Epoch(train)  [1][{step:4}/1000]  lr: 1.0e-02  "
        f"eta: 1:00:00  time: {time:.4f}  data_time: {data:.4f}  memory: {memory}  loss: {loss}\n"
    )


def torchvision(step, loss, time=0.5, data=0.007, memory=3011):
    return (
        f"Epoch: [0]  [{step:4}/1251]  eta: 0:12:01  lr: 0.100000  loss: {loss} (6.9500)  "
        f"time: {time:.4f}  data: {data:.4f}  max mem: {memory}\n"
    )


def imagenet(step, loss, time=0.5, data=0.007, epoch=0, **_):
    return (
        f"Epoch: [{epoch}][{step}/5005]\tTime {time:.3f} (0.500)\tData {data:.3f} (0.300)\t"
        f"Loss {loss} (6.9080)\tPrec@1 0.391 (0.026)\n"
    )


def detectron(step, loss, time=0.5, data=0.007, memory=3011):
    return (
        f"[05/05 12:00:00 d2.utils.events]:  eta: 1:00:00  iter: {step}  total_loss: {loss}  "
        f"loss_cls: 1.2  time: {time:.4f}  data_time: {data:.4f}  lr: 0.02  max_mem: {memory}M\n"
    )


def keras(step, loss, **_):
    return f"{step}/1000 [==>...] - ETA: 5s - loss: {loss} - acc: 0.5000\n"


LOSS = (plain, bar, trainer, mmengine, torchvision, imagenet, detectron, keras)
TIMES = (mmengine, torchvision, imagenet, detectron)
MEMORY = (mmengine, torchvision, detectron)


def hints(text):
    return diagnose(io.BytesIO(text.encode()), SIGNATURES).hints


def written(logger, losses, **more):
    return "".join(
        logger(step=n, loss=loss, **{name: of(n) for name, of in more.items()})
        for n, loss in enumerate(losses)
    )


def falling(count):
    return [f"{2.3 - n / count + DRAW.uniform(0, 0.1):.4f}" for n in range(count)]


@pytest.mark.parametrize("logger", LOSS)
def test_a_loss_that_is_stuck(logger):
    (hint,) = hints(written(logger, ["0.6931"] * 300))
    assert hint.ids[0] == "O1" and "0.6931 in 300 values" in hint.message and "2 classes" in hint.message


@pytest.mark.parametrize("logger", LOSS)
def test_a_loss_that_is_nan_from_some_step_on(logger):
    (hint,) = hints(written(logger, [*falling(40), *["nan"] * 40]))
    assert hint.ids[0] == "Q2" and "nan" in hint.message
    assert hint.line == (1 if logger is bar else 41)
    (hint,) = hints(written(logger, [*falling(40), "20.1", "170.2", "9000.3", "80000.0", *["nan"] * 40]))
    assert hint.ids[0] == "O30" and "80000" in hint.message


@pytest.mark.parametrize("logger", LOSS)
def test_a_loss_that_is_zero(logger):
    (hint,) = hints(written(logger, ["0.0"] * 40))
    assert hint.ids[0] == "P2" and "0 in 40 values" in hint.message


@pytest.mark.parametrize("logger", LOSS)
@pytest.mark.parametrize(
    "losses",
    [
        falling(300),
        ["0.69"] * 300,
        ["0.6931"] * 60,
        ["nan", *falling(299)],
        [*falling(150), *["0.0001"] * 30],
        [*["2.3026"] * 100, *falling(200)],
    ],
)
def test_a_loss_that_says_nothing(logger, losses):
    assert hints(written(logger, losses)) == ()


@pytest.mark.parametrize("logger", TIMES)
def test_loading_takes_most_of_a_step(logger):
    (hint,) = hints(written(logger, falling(40), time=lambda n: 0.51, data=lambda n: 0.32))
    assert hint.ids[0] == "T4" and "63%" in hint.message and "0.32 of 0.51 s" in hint.message


@pytest.mark.parametrize("logger", TIMES)
def test_every_eighth_batch_is_slow(logger):
    (hint,) = hints(
        written(
            logger,
            falling(80),
            time=lambda n: 0.15 if n % 8 else 3.1,
            data=lambda n: 0.001 if n % 8 else 2.95,
        )
    )
    assert hint.ids[0] == "T7" and "one of every 8 lines" in hint.message and "2.95 s" in hint.message


def test_the_first_batch_of_each_epoch_is_slow():
    times = [(13.1, 12.9), *[(0.15, 0.001)] * 29]
    text = "".join(
        imagenet(step, f"{2 - epoch / 5:.4f}", *times[step], epoch)
        for epoch in range(5)
        for step in range(30)
    )
    (hint,) = hints(text)
    assert hint.ids == ("T5",) and "12.9 s" in hint.message


@pytest.mark.parametrize("logger", MEMORY)
def test_memory_climbs(logger):
    (hint,) = hints(written(logger, falling(80), memory=lambda n: 3000 + 60 * n))
    assert hint.ids[0] == "Q3" and "from 3000 to 7740" in hint.message
    assert hints(written(logger, falling(80), memory=lambda n: 3000 + 60 * min(n, 5))) == ()


SOUND = sorted((ROOT / "tests" / "diagnosis" / "sound_logs").glob("*.log"))


@pytest.mark.parametrize("path", SOUND, ids=lambda path: path.stem)
def test_the_logs_of_sound_trainings_say_nothing(path):
    """Recorded from small trainings, many of them with noisy labels or with batches of one sample."""
    with path.open("rb") as stream:
        found = diagnose(stream, SIGNATURES)
    assert (found.hints, found.matches) == ((), ()) and len(SOUND) >= 30


def rated(rates, losses=None, line="ep {n} lr {rate} loss {loss}\n"):
    losses = losses or falling(len(rates))
    return "".join(
        line.format(n=n, rate=rate, loss=loss)
        for n, (rate, loss) in enumerate(zip(rates, losses, strict=True))
    )


FALLING_RATES = [f"{0.02 - n / 1000:.4f}" for n in range(9)]


@pytest.mark.parametrize("logger", [plain, mmengine, keras, trainer])
def test_a_loss_that_stays_near_that_of_a_guess(logger):
    noisy = [f"{2.3026 + DRAW.gauss(0, 0.004):.4f}" for _ in range(200)]
    (hint,) = hints(written(logger, noisy))
    assert hint.ids[0] == "O1" and "ln 10, a guess among 10 classes" in hint.message
    assert hints(written(logger, noisy[:60])) == ()


def test_a_loss_of_whole_epochs_that_stays_near_that_of_a_guess():
    losses = [f"{2.3026 + n % 3 / 1000:.3f}" for n in range(30)]
    (hint,) = hints("".join(f"[{n:2}/30] train loss {loss} acc 10%\n" for n, loss in enumerate(losses, 1)))
    assert hint.ids == ("O1", "O2")


@pytest.mark.parametrize("logger", LOSS)
def test_a_loss_that_falls_and_then_rises_far(logger):
    losses = [f"{0.5 + abs(n - 60) / 20 + DRAW.uniform(0, 0.1):.4f}" for n in range(200)]
    (hint,) = hints(written(logger, losses))
    assert hint.ids == ("O38", "O30") and "rises to" in hint.message


@pytest.mark.parametrize(
    "line", ["restored run/best.ckpt at epoch 8", "Resuming from step 9", "=> loaded checkpoint x"]
)
def test_a_learning_rate_that_starts_over_after_a_checkpoint_was_loaded(line):
    first, again = rated(FALLING_RATES), rated(["0.0200", "0.0190"])
    (hint,) = hints(f"{first}{line}\n{again}")
    assert hint.ids == ("C1",) and hint.line == 11 and "0.012 before" in hint.message
    assert hints(f"{first}{again}") == (), "a schedule may start over"
    assert hints(f"{first}{line}\n{rated(['0.0110', '0.0100'])}") == ()
    assert hints(f"{line}\n{first}") == ()


def test_a_learning_rate_of_zero():
    (hint,) = hints(rated(["0.0"] * 12))
    assert hint.ids[0] == "O31" and "0 in 12 of 12 lines" in hint.message
    assert hints(rated(["0.0000"] * 12)) == (), "it may be 1e-5, with too few digits"
    assert hints(rated(["0.1"] * 20 + ["0.0"])) == ()


def test_steps_that_take_longer_and_longer():
    line = "iter {n} loss {loss} time {rate}\n"
    times = [f"{0.1 + n / 200 + DRAW.uniform(0, 0.02):.3f}" for n in range(80)]
    (hint,) = hints(rated(times, line=line))
    assert hint.ids[0] == "N4" and "the time of a step rises from 0.1" in hint.message
    assert hints(rated([f"{n * 0.3:.1f}" for n in range(80)], line=line)) == (), "the time since the start"


def test_gradients_that_add_up():
    (hint,) = hints(rated(range(1, 80), line="iter {n} loss {loss} grad_norm {rate}\n"))
    assert hint.ids == ("O38", "O2")


@pytest.mark.parametrize("name", ["trainer_state.json", "metrics.csv"])
def test_the_numbers_that_trainers_write(dpkb_in_process, tmp_path, name):
    rows = [{"loss": round(2.3026 + n % 3 / 1000, 4), "step": n, "epoch": n // 20} for n in range(9000)]
    text = json.dumps({"best_metric": None, "epoch": 9.0, "log_history": [{"eval_loss": 2.3}, *rows]})
    if name == "metrics.csv":
        lines = [
            f"{r['epoch']},1e-3,{r['step']},{r['loss']},,\n{r['epoch']},,{r['step']},,0.1,2.3" for r in rows
        ]
        text = "epoch,lr-Adam,step,train_loss_step,train_loss_epoch,val_loss\n" + "\n".join(lines)
    (tmp_path / name).write_text(text)
    for path in (tmp_path / name, tmp_path):
        answer = json.loads(dpkb_in_process("diagnose", path, "--json").stdout)
        assert [hint["ids"][0] for hint in answer["hints"]] == ["O1"]
    (tmp_path / name).write_text(text[: len(text) // 2])
    done = dpkb_in_process("diagnose", tmp_path / name)
    assert done.returncode == (1 if name == "metrics.csv" else 2)
    assert ("is no trainer_state.json, or is cut" in done.stderr) is (name != "metrics.csv")


def test_evaluation_and_other_ranks_are_left_out():
    steps = written(plain, falling(60))
    assert hints(steps + "".join(f"Test: [{n}/90] Time 0.1 Loss 0.0\n" for n in range(90))) == ()
    assert hints("".join(f"[rank1]: loss {n}.0\n" for n in ["nan"] * 50) + steps) == ()


def test_hints_do_not_depend_on_how_a_large_log_is_cut():
    text = (written(mmengine, ["2.3026"] * 40_000)).encode()
    assert len(text) > 5 << 20
    found = []
    for size in (1 << 20, 70_000, 1_000_003):
        splitter, numbers = log.BlockSplitter(), ProgressNumbers()
        for chunk in [text[n : n + size] for n in range(0, len(text), size)]:
            if (block := splitter.feed(chunk)) is not None:
                numbers.read_block(block)
        found.append(find_hints(numbers))
    assert found[0] == found[1] == found[2] and found[0][0].ids[0] == "O1"


def test_every_entry_that_a_hint_names_exists():
    source = Path(progress_hints.__file__).read_text(encoding="utf-8")
    named = set(re.findall(r'"([A-Z]{1,2}\d{1,2})"', source))
    assert {"O1", "Q2", "T4", "T5", "T7", "N4"} <= named <= KNOWN.keys()


def test_hints_in_words_and_in_json(dpkb, tmp_path):
    path = tmp_path / "log.txt"
    path.write_text(written(plain, ["0.6931"] * 300))
    done = dpkb("diagnose", path)
    assert done.returncode == 1 and "(a hint)" in done.stdout and "O1 " in done.stdout
    answer = json.loads(dpkb("diagnose", path, "--json").stdout)
    assert answer["matches"] == [] and answer["next"] is None
    assert answer["hints"][0]["certainty"] == "hint" and answer["hints"][0]["line"] == 1
