"""The search of the pages ranks as the command line does: the same JavaScript, under node and in Chromium."""

import io
import json
import shutil
import statistics
import subprocess
from functools import cache
from urllib.parse import quote

import pytest
from support import ROOT, browser, write_catalogue

from dpkb.catalogue import owners
from dpkb.catalogue.load import load
from dpkb.diagnosis import conclusion, match
from dpkb.output.search import LAST_LINE, UNCLEAR_CASES, UNCLEAR_HEADING, WEAK_HEADING
from dpkb.paths import find_built_in_catalogue
from dpkb.patterns import matching
from dpkb.search import store
from tools.site import search_data

ASSETS = ROOT / "tools" / "site" / "assets"
# In the order in which a page loads them.
SCRIPTS = ("search-rank.js", "search-diagnose.js", "search.js")
NODE = shutil.which("node")
needs_node = pytest.mark.usefixtures("has_node")
needs_browser = pytest.mark.usefixtures("has_browser")

QUESTIONS = """
bus error
Bus eror
bus erorr in dataloader wroker
/dev/shm
dp9
DP15
dp-1
DP 15
dp99
d22
set_epoch
worker_init_fn
worker_init_fn numpy same random numbers
all workers give identical augmentations
every epoch has the same crops
IterableDataset duplicate samples num_workers
memory grows every epoch until the machine kills it
RAM leak with a list of python objects in the dataset
first batch of each epoch is slow
GPU utilization low, CPU at 100%
how to compute the FLOPs of a model for several GPUs
How do I know which worker was killed, num_GPUs=2
training hangs at the end of the epoch with ddp
one rank has fewer batches and the others wait forever
deadlock after fork with opencv
images look blue, opencv
colors are swapped BGR RGB
accuracy drops in eval mode with batch size 1
batch norm frozen layers still change
loss is nan with fp16
loss.backward() twice
optimizer does not update the new layers
resume from checkpoint the learning rate starts over
Missing key(s) in state_dict module. prefix
load_state_dict size mismatch
strict=False hides missing keys
tied weights lm_head embedding
label smoothing ignore_index -100
padding tokens count in the loss
softmax before CrossEntropyLoss
my dataloder is verry slowwly
pin_memory no effect
persistent_workers
too many open files
received 0 items of ancdata
h5py multiprocessing returns garbage
lambda in dataset on windows
Can't pickle local object 'main.<locals>.<lambda>'
RuntimeError: stack expects each tensor to be equal size, but got [3] at entry 0
RuntimeError: DataLoader worker (pid 4242) is killed by signal: Bus error.
RuntimeError: DataLoader worker (pid(s) 12345, 12346) exited unexpectedly
ValueError: sampler option is mutually exclusive with shuffle
ValueError: Expected more than 1 value per channel when training, got input size torch.Size([1, 64])
RuntimeError: Cannot re-initialize CUDA in forked subprocess
torch.utils.data.DataLoader(ds, num_workers=4, prefetch_factor=2)
CUDAError DataLoaderIter _MultiProcessingDataLoaderIter__next__ HTTPServerV2
0x7f3a2b 123456 137
exit code 137
增强 每个 worker 随机数 一样
训练 卡住 多卡
内存一直增长
显存不够 batch size
第一个batch很慢, GPU利用率低
权重加载后精度变差
ＤａｔａＬｏａｄｅｒ　卡死
データローダーが遅い
공유 메모리 bus error
обучение зависает DataLoader
la mémoire augmente à chaque époque ﬁn
how do I export my model to ONNX with opset 17
where is the paper of this repository, and its license
nvcc fatal: unsupported gpu architecture, ninja: build stopped
安装 pytorch 驱动 版本
zzzyx qqqwv
的
在 吗
DataLoader 的 worker 卡住
训练一段时间后显存一直增长
训练集准确率99%,验证集只有随机水平
DDP 每个epoch最后一个batch卡住不动
___ -- !!
what is it
x
PointLLM training error
train.py error
训练 报错 怎么 解决
RuntimeError during training, please help
how to fix a training error
Q2 error
finetuning code does not work with my own dataset
the training of a DataLoader fails
error
constructor __proto__ toString
multi-GPU training DDP errors
bug fine tuning Qwen2-VL with LLaMA-Factory
AttributeError: 'FooConv' object has no attribute 'weight' in train.py
AttributeError: 'float' object has no attribute 'backward'
KeyError: 'manhattan' in the evaluator during fit
LoRA: UnboundLocalError: local variable 'thing' referenced before assignment
ModuleNotFoundError: No module named 'walrus' when starting
sampler option is mutually exclusive with shuffle in my loader
where is the training dataset
LoRA walrus tusk of an opera
SiLU mAP QLoRA Conv2d maxPool nnUNet
'WalrusModel' object has no attribute 'module' in my loop
llama on colab with a coco reward
""".strip("\n").splitlines()

PASTES = {
    "a traceback": """Traceback (most recent call last):
  File "/home/me/train.py", line 12, in <module>
    for batch in loader:
  File "/env/torch/utils/data/_utils/collate.py", line 141, in default_collate
    raise RuntimeError("stack expects each tensor to be equal size, but got [3] at entry 0")
RuntimeError: stack expects each tensor to be equal size, but got [3] at entry 0 and [4] at entry 1
""",
    "ranks, times and colours before the lines": (
        "[rank0]: [2024-05-01 10:00:00,123] ERROR: starting\n"
        "[rank1]: \x1b[31mRuntimeError: DataLoader worker (pid 77) is killed by signal: Bus error. It is "
        "possible that dataloader's workers are out of shared memory.\x1b[0m\n"
        "(train pid=55) torch.multiprocessing: process 1 terminated with signal SIGKILL\n"
    ),
    "only quoted source": """  File "/home/me/train.py", line 12, in check
    assert "received 0 items of ancdata" not in text
nothing else
""",
    "a line that needs another": """  File "/usr/lib/multiprocessing/popen_fork.py", line 66, in _launch
    self.pid = os.fork()
OSError: [Errno 12] Cannot allocate memory
""",
    "that line alone": "OSError: [Errno 12] Cannot allocate memory\n",
    "many causes, Windows newlines": "slurmstepd: error: Detected 1 oom_kill event\r\nexit code: 137\r\n"
    "failed (exitcode: -9) local_rank: 0\r\n",
    "a traceback without its last line": """Traceback (most recent call last):
  File "/home/me/train.py", line 12, in <module>
    for batch in loader:
  File "/env/torch/utils/data/_utils/collate.py", line 141, in default_collate
    return torch.stack(batch, 0, out=out)
""",
    "a line that raises, and then nothing": """  File "/env/torch/nn/functional.py", line 2280, in batch_norm
    _verify_batch_size(input.size())
  File "/env/torch/nn/functional.py", line 2248, in _verify_batch_size
    raise ValueError(
        "Expected more than 1 value per channel when training, got input size {}".format(size)
    )
""",
    "cut, but the end is known": """  File "/env/torch/data/_utils/collate.py", line 141, in default_collate
    return torch.stack(batch, 0, out=out)
KeyboardInterrupt
""",
    "no failure": "epoch 1 loss 0.5\nepoch 2 loss 0.4\n",
    "two entries that fit equally well, one of them for triage": "x ind >= 0 && ind < ind_dim_size failed\n"
    "ValueError: sampler option is mutually exclusive with shuffle\n",
    "longer than is looked at": "step 1\n" * 500 + "RuntimeError: received 0 items of ancdata\n",
}

RUN = """
const fs = require("fs"), vm = require("vm");
globalThis.window = globalThis;
for (const path of process.argv.slice(1)) vm.runInThisContext(fs.readFileSync(path, "utf8"));
dpkbSearch.unpack(DPKB_SEARCH).then((data) => {
  const finder = dpkbSearch.makeFinder(data);
  const answers = JSON.parse(fs.readFileSync(0, "utf8")).map((text) => ({
    search: finder.search(text).hits.map((hit) => hit.id),
    weak: finder.search(text).weak,
    unclear: finder.search(text).unclear,
    diagnose: finder.diagnose(text).map(
      (match) => [match.id, match.evidence.map((e) => e.line)]),
    answer: finder.answer(text).hits.map((hit) => hit.id),
  }));
  console.log(JSON.stringify(answers));
});
"""

# For each line, the numbers of the patterns that match it in JavaScript.
MATCH = """
const { texts, lines } = JSON.parse(require("fs").readFileSync(0, "utf8"));
const compiled = texts.map(([source, flags]) => new RegExp(source, flags));
const places = (line) => compiled.flatMap((pattern, i) => pattern.test(line) ? [i] : []);
console.log(JSON.stringify(lines.map(places)));
"""

TIME = """
const fs = require("fs"), vm = require("vm");
globalThis.window = globalThis;
for (const path of process.argv.slice(1)) vm.runInThisContext(fs.readFileSync(path, "utf8"));
dpkbSearch.unpack(DPKB_SEARCH).then((data) => {
  const finder = dpkbSearch.makeFinder(data);
  const seconds = (text) => {
    const start = process.cpuUsage();  // not the time of the other programs on this machine
    finder.answer(text);
    const used = process.cpuUsage(start);
    return (used.user + used.system) / 1e6;
  };
  console.log(JSON.stringify(JSON.parse(fs.readFileSync(0, "utf8")).map(seconds)));
});
"""


@pytest.fixture(scope="module")
def has_node():
    browser.skip_if("" if NODE else "no node here to run the page's script with: apt-get install nodejs")


@pytest.fixture(scope="module")
def has_browser():
    browser.skip_if(browser.explain_missing())


@pytest.fixture(scope="module")
def catalogue():
    return load([find_built_in_catalogue()])


@pytest.fixture(scope="module")
def signatures(catalogue):
    return match.Signatures(catalogue)


@pytest.fixture(scope="module")
def page(catalogue, tmp_path_factory):
    """A folder as tools.site fills it, with a page that has nothing but the search in it."""
    return make_page(catalogue, tmp_path_factory.mktemp("site with space"))


def make_page(catalogue, folder):
    shutil.copytree(ASSETS, folder / "assets")
    search_data.write(catalogue, folder / "assets" / "search-data.js")
    (folder / "index.html").write_text(
        '<!doctype html><html lang="en"><head><meta charset="utf-8"><title>dpkb</title>'
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; script-src 'self'; "
        'style-src \'self\'"><link rel="stylesheet" href="assets/site.css"></head><body>'
        '<div id="dpkb-search" data-index="assets/search-data.js"></div>'
        + "".join(f'<script src="assets/{name}"></script>' for name in SCRIPTS)
        + "</body></html>",
        encoding="utf-8",
    )
    return folder


def node(script, given, *paths):
    done = subprocess.run(
        [NODE, "-e", script, *map(str, paths)],
        input=json.dumps(given),
        text=True,
        encoding="utf-8",
        capture_output=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def scripts_of(page):
    return [page / "assets" / name for name in ("search-data.js", *SCRIPTS)]


def in_page(page, texts):
    """What the page's script answers to each text."""
    return node(RUN, texts, *scripts_of(page))


@cache
def find(text):
    return store.find_entries([find_built_in_catalogue()], text, 5)


def search_ids(text):
    return [hit.id for hit in find(text).hits]


def is_weak(text):
    return find(text).weak


def is_unclear(text):
    return find(text).unclear


def diagnose_ids(text, signatures):
    found = conclusion.diagnose(io.BytesIO(text.encode()), signatures)
    return [[m.id, [e.line for e in m.evidence]] for m in found.matches]


def expected_answer(text, signatures):
    """The expected answer of the page: of search first for one line, of diagnose first for several lines."""
    explained, found = diagnose_ids(text, signatures), search_ids(text)
    ids = [match_id for match_id, _ in explained]
    both = list(dict.fromkeys([*ids, *found] if "\n" in text.strip() else [*found, *ids]))
    return {
        "search": found,
        "weak": is_weak(text),
        "unclear": is_unclear(text),
        "diagnose": explained,
        "answer": both[: max(5, len(explained))],
    }


def disagreements(page, signatures, texts):
    """The texts for which the page and the command line have different answers."""
    answers = in_page(page, list(texts))
    return [
        text
        for text, answer in zip(texts, answers, strict=True)
        if expected_answer(text, signatures) != answer
    ]


@needs_node
def test_the_page_ranks_as_the_command_line(page, signatures):
    assert disagreements(page, signatures, QUESTIONS) == []
    unanswered = [text for text in QUESTIONS if not search_ids(text)]
    assert len(QUESTIONS) >= 60 and 3 <= len(unanswered) <= 15
    assert 3 <= sum(map(is_weak, QUESTIONS)) <= len(QUESTIONS) / 3
    assert 5 <= sum(is_unclear(text) and bool(search_ids(text)) for text in QUESTIONS) <= len(QUESTIONS) / 3


@needs_node
def test_pasted_logs_are_read_as_diagnose_reads_them(page, signatures):
    assert disagreements(page, signatures, PASTES.values()) == []
    answers = dict(zip(PASTES, in_page(page, list(PASTES.values())), strict=True))
    assert answers["a traceback"]["answer"][0] == "DP4"
    assert answers["ranks, times and colours before the lines"]["answer"][0] == "DP15"
    assert answers["only quoted source"]["diagnose"] == answers["no failure"]["diagnose"] == []
    assert answers["cut, but the end is known"]["diagnose"] == []
    assert answers["a traceback without its last line"]["answer"][0] == "DP4"
    assert answers["a line that raises, and then nothing"]["answer"][0] == "DP8"
    assert answers["a line that needs another"]["diagnose"] != answers["that line alone"]["diagnose"]
    assert answers["longer than is looked at"]["diagnose"][0][1] == [501]


@needs_node
def test_one_line_leads_where_search_does_also_with_a_signature_in_it(page, catalogue, signatures):
    lines = [text for text in QUESTIONS if diagnose_ids(text, signatures)]
    lines += [p.words.replace("…", "7") for entry in catalogue for p in entry.signatures]
    firsts = [search_ids(text)[:1] for text in lines]
    assert [answer["answer"][:1] for answer in in_page(page, lines)] == firsts
    differ = [
        text
        for text, first in zip(lines, firsts, strict=True)
        if (explained := diagnose_ids(text, signatures)) and first and explained[0][0] != first[0]
    ]
    assert differ, "no line here tells the two orders apart"


@needs_node
def test_every_signature_means_the_same_in_javascript(catalogue):
    texts = search_data.list_patterns(owners.group_owner_ids(catalogue))
    several = matching.PatternSet(texts)
    lines = [
        line
        for entry in catalogue
        for text in [
            *entry.asked_as,
            *(p.words.replace("…", "7") for p in entry.signatures),
            *(section.text for section in entry.sections),
        ]
        for line in text.splitlines()
    ]
    lines += [line.upper() for line in lines]
    lines += [line for paste in PASTES.values() for line in paste.splitlines()]
    seen = node(MATCH, {"texts": [search_data.translate_pattern(text) for text in texts], "lines": lines})
    assert seen == [several.matches(line) for line in lines]
    assert len({place for row in seen for place in row}) > len(texts) / 2


@pytest.mark.slow
@needs_node
def test_no_paste_makes_the_page_hang(page, catalogue):
    """The words of each signature many times, and text that is hard to split into words, in every size."""
    words = [p.words.replace("…", "") for entry in catalogue for p in entry.signatures]
    # What makes a pattern slow is the length of a line, not how many there are.
    repeated = ["\n".join([(text * 2000)[:2000]] * 10) for text in dict.fromkeys(words)]
    hostile = [
        "x" * 300_000,  # a pattern that begins with \w+ takes a minute here, and hours for ten times as much
        "\x1b]" * 500_000,
        " " * 1_000_000,
        "中" * 500_000,
        "a\n" * 500_000,
        "\n".join(["1: " * 700] * 200),
        "abcdefgh" * 3 + " " + "aB" * 20_000,
    ]
    seconds = node(TIME, repeated + hostile, *scripts_of(page))
    # The pastes of signatures are equally long, so a slow pattern takes much longer than the others.
    of_signatures = seconds[: len(repeated)]
    assert max(of_signatures) < 30 * statistics.median(of_signatures) and max(seconds) < 4


def test_the_data_is_small_and_the_same_each_time(page, catalogue, tmp_path):
    written = page / "assets" / "search-data.js"
    assert written.stat().st_size <= 7000 * len(catalogue.entries)
    search_data.write(catalogue, tmp_path / "again.js")
    assert (tmp_path / "again.js").read_bytes() == written.read_bytes()


# -- in a real browser ------------------------------------------------------------------------------

PUT = (
    "const field = document.querySelector('textarea'); field.value = arguments[0];"
    "field.dispatchEvent(new Event('input'))"
)
IDS = "return [...document.querySelectorAll('.dpkb-search__id')].map(e => e.textContent)"
FIRST = "return document.querySelector('.dpkb-search__id')?.textContent"


@pytest.fixture(scope="module")
def chromium(has_browser):
    with browser.Browser() as window:
        yield window


@needs_browser
def test_a_link_with_a_question_shows_its_answer(chromium, page):
    chromium.take_requests()
    chromium.open((page / "index.html").as_uri() + "#q=" + quote("bus error"))
    assert chromium.until(FIRST) == "DP15"
    assert chromium.run("return document.querySelector('ol a').href") == (page / "entries/dp15.html").as_uri()
    assert chromium.run("return document.querySelector('textarea').value") == "bus error"
    assert chromium.take_errors() == []
    asked = chromium.take_requests()
    assert asked and all(address.startswith("file://") for address in asked), asked


@needs_browser
def test_the_log_of_requests_has_one_to_another_host(chromium, tmp_path):
    (tmp_path / "asks.html").write_text('<img src="http://127.0.0.1:9/picture.png">')
    chromium.take_requests()
    chromium.open((tmp_path / "asks.html").as_uri())
    assert "http://127.0.0.1:9/picture.png" in chromium.take_requests()


@needs_browser
def test_typing_and_the_keyboard(chromium, page):
    chromium.open((page / "index.html").as_uri())
    assert chromium.run(IDS) == []
    assert chromium.run("return document.querySelector('label').htmlFor") == "dpkb-question"
    chromium.press(browser.TAB)
    chromium.press("images look blue, opencv")
    assert chromium.until(FIRST) == "DP11"
    status = chromium.run(
        "const s = document.querySelector('[role=status]');"
        "return [s.getAttribute('aria-live'), s.textContent]"
    )
    assert status[0] == "polite" and status[1].startswith("The best of the ")
    kept = "#q=" + quote("images look blue, opencv", safe="")
    assert chromium.until(f"return location.hash === '{kept}'")
    chromium.press(browser.DOWN)
    assert chromium.run("return document.activeElement.textContent").startswith("DP11 ")
    chromium.press(browser.ESCAPE)
    assert chromium.run("return document.activeElement.id") == "dpkb-question"


@needs_browser
def test_a_paste_names_the_line_and_stays_out_of_the_address(chromium, page):
    chromium.open((page / "index.html").as_uri())
    chromium.run(PUT, PASTES["a traceback"])
    assert chromium.until(FIRST) == "DP4"
    assert "line 6" in chromium.run("return document.querySelector('.dpkb-search__why').textContent")
    assert chromium.run("return location.hash") == ""
    chromium.run(PUT, "zzzyx qqqwv")
    assert chromium.until("return document.querySelector('[role=status]').textContent.startsWith('Nothing')")
    assert chromium.run(IDS) == []
    chromium.run(PUT, "how do I export my model to ONNX with opset 17")
    assert chromium.until(FIRST)
    assert chromium.run("return document.querySelector('[role=status]').textContent") == WEAK_HEADING


CASE_IDS = [entry_id for _, ids in UNCLEAR_CASES for entry_id in ids]


@needs_browser
def test_a_question_without_a_failure_is_asked_back(chromium, page, catalogue):
    chromium.open((page / "index.html").as_uri())
    chromium.run(PUT, "PointLLM training error")
    assert chromium.until(FIRST) == CASE_IDS[0]
    assert chromium.run(IDS) == CASE_IDS
    assert chromium.run("return document.querySelector('[role=status]').textContent") == UNCLEAR_HEADING
    items = chromium.run(
        "return [...document.querySelectorAll('.dpkb-search__hits > li')].map(e => e.textContent)"
    )
    assert [item.partition(": ")[0] for item in items] == [case for case, _ in UNCLEAR_CASES]
    assert items[0].endswith(LAST_LINE)
    first = catalogue.find_entry(CASE_IDS[0])
    assert first.title.replace("`", "") in items[1]
    link = chromium.run("return document.querySelector('.dpkb-search__hits a').href")
    assert link == (page / f"entries/{first.id.lower()}.html").as_uri()
    # The last line of an error leads on, as it says.
    chromium.run(PUT, "PointLLM training error: DataLoader worker (pid 4) is killed by signal: Bus error.")
    assert chromium.until("return document.querySelector('.dpkb-search__id')?.textContent === 'DP15'")


def shown(chromium, page, texts):
    """The ids that the page shows for each text put into its field."""
    chromium.open((page / "index.html").as_uri())
    for text in texts:
        chromium.run("document.querySelector('[role=status]').textContent = 'waiting';" + PUT, text)
        assert chromium.until("return document.querySelector('[role=status]').textContent != 'waiting'"), text
        yield chromium.run(IDS)


@pytest.mark.slow
@needs_browser
def test_chromium_shows_what_the_command_line_says(chromium, page, signatures):
    texts = [*QUESTIONS, *PASTES.values()]
    for text, ids in zip(texts, shown(chromium, page, texts), strict=True):
        expected = expected_answer(text, signatures)
        is_asked_back = expected["unclear"] and expected["search"] and not expected["diagnose"]
        assert ids == (CASE_IDS if is_asked_back else expected["answer"]), text


@needs_browser
def test_entry_text_stays_text(chromium, tmp_path):
    folder = write_catalogue(tmp_path / "catalogue")
    path = folder / "kb" / "zz1_made.md"
    title = "title: \"<img src=x onerror='document.title=1'></script><b>made `<i>`\""
    path.write_text(path.read_text().replace("title: A failure made for a test", title))
    catalogue = load([folder])
    assert "ZZ1" in catalogue.entries, catalogue.problems
    page = make_page(catalogue, tmp_path / "page")
    chromium.open((page / "index.html").as_uri() + "#q=made")
    assert chromium.until(FIRST) == "ZZ1"
    assert chromium.run("return document.querySelectorAll('ol img, ol b, ol i').length") == 0
    assert chromium.run("return document.querySelector('ol code').textContent") == "<i>"
    assert chromium.run("return document.title") == "dpkb"
