"""Every command of the program in lines that take tenths of a second: how it fills a folder, goes on with it and reads it.

In a line, {out} is the folder, {new} an empty one, {around} the one that both are in, {id} the name of {out}, and {pre} the beginning of a
file's name. The other words in braces are files and folders of `prepare`.
"""

import shutil
from typing import NamedTuple

from common import ROOT

TRAIN = "train --genome {moth} --target {moth} --size 16"
BREED = "evolve --search interactive --population 4 --cell 16 --seed 4 --out {out}"
PLOT = "--kind dots --x arm --y score --out"

SPEC = """kind = "networks"
name = "small"
question = "Does it go on?"
size = 16
steps = 400
seeds = [0]
sample = 4
[[targets]]
name = "moth"
genome = "moth.json"
[[targets]]
name = "mask"
genome = "mask.json"
[[arms]]
name = "evolved"
wiring = "evolved"
[[arms]]
name = "dense"
wiring = "dense"
[[arms]]
name = "sp"
from = "dense"
method = "sp:weighted=false"
levels = ["share:0.5"]
[show]
arms = ["evolved", "sp-1"]
[[contrasts]]
id = "C1"
says = "Pruned networks score higher."
between = [{ arm = "sp" }, { arm = "dense" }]
pair = ["target", "seed"]
basis = ["end"]
[[figures]]
name = "scores"
kind = "dots"
x = "arm"
y = "score"
"""

ROWS = """target,arm,level,seed,alive,score
moth,dense,0,0,128,0.1
moth,sp,1,0,64,0.3
cat,dense,0,0,128,0.2
cat,sp,1,0,64,0.5
"""


class Work(NamedTuple):
    """A command, or several for the same folder."""

    name: str
    # Fill the folder. The first line can be stopped half-way if `stops`.
    fill: list
    # Go on with the folder, or do the same again: `fill` if there are none.
    again: list = None
    # Read the folder and leave it as it is.
    reads: list = []
    stops: bool = False
    # It has folders of runs; their files are tried with `experiment`.
    has_runs: bool = False
    # Going on adds something each time, so that twice has other bytes than once.
    adds: bool = False


WORKS = [
    Work(
        "train",
        [f"{TRAIN} --steps 8000 --checkpoints 0.3,0.6 --out {{out}}"],
        [f"{TRAIN} --steps 8000 --checkpoints 0.3,0.6 --resume --out {{out}}"],
        [
            "eval {out}",
            "render {out} --size 16 --out {new}/a.png",
            "maps {out} --size 16 --out {new}/a.png",
            "export {out} --out {new}/a.onnx",
            "sweep {out} --size 8 --samples 2 --out {new}/sweep",
            "score {out} --size 8 --samples 2 --all --out {new}/card",
            "prune {out} --budget 100 --steps 2 --out {new}/run",
            "plot {out} --out {new}/losses.svg",
            "compare {out} {dense} --samples 2 --out {new}/compare",
            "bench render --run {out} --size 16 --seconds 0.01",
            "judge sheets {out} --count 2 --size 16 --out {new}/sheets",
            "studio {around} --export {new}/site --ids {id}",
        ],
        stops=True,
    ),
    Work(
        "prune",
        ["prune {dense} --budget 150 --rounds 3 --steps 8000 --out {out}"],
        ["prune {dense} --budget 150 --rounds 3 --steps 8000 --resume --out {out}"],
        ["eval {out}", "plot {out} --out {new}/losses.svg", "studio {around} --export {new}/site --ids {id}"],
        stops=True,
    ),
    Work(
        "search",
        ["evolve --target {face} --preset neat --population 30 --size 16 --generations 60 --seed 3 --out {out}"],
        ["evolve --target {face} --preset neat --population 30 --size 16 --generations 60 --seed 3 --resume --out {out}"],
        stops=True,
    ),
    Work(
        "archive",
        ["evolve --search map-elites --population 20 --size 16 --generations 40 --seed 3 --out {out}"],
        ["evolve --search map-elites --population 20 --size 16 --generations 40 --seed 3 --resume --out {out}"],
        stops=True,
    ),
    Work(
        "mock",
        ["evolve --search vlm --breeder mock --population 6 --cell 24 --publish 2 --generations 9 --seed 5 --out {out}"],
        [
            "evolve --search vlm --breeder mock --population 6 --cell 24 --publish 2 --generations 9 --seed 5 --resume"
            " --out {out}"
        ],
        stops=True,
    ),
    Work(
        "breed",
        [BREED, f"{BREED} --select 1,3", f"{BREED} --save 0 owl"],
        [f"{BREED} --select 2"],
        [
            "evolve --search interactive --script {out}/session.toml --cell 16 --out {new}/bred",
            "animate lineage {out} --sheet 1 --place 3 --size 16 --seconds 0.2 --out {new}/a.gif",
        ],
        adds=True,
    ),
    Work("compare", ["compare {moth} --seeds 0 --steps 60 --samples 4 --out {out}"], stops=True, has_runs=True),
    Work("runs", ["compare {dense} {pruned} --samples 4 --out {out}"]),
    Work("regime", ["regime {face} --profile smoke --samples 4 --out {out}"], stops=True, has_runs=True),
    Work("distil", ["distil {face} --profile smoke --steps 400 --samples 4 --out {out}"], stops=True, has_runs=True),
    Work(
        "depths",
        ["experiment depth-sweep {face} --depths 2,4 --seeds 0 --steps 400 --size 16 --samples 4 --runs {out}"],
        stops=True,
        has_runs=True,
    ),
    Work(
        "experiment",
        [
            "experiment run {spec} --store {out} --beat 0.2",
            "experiment collect {spec} --store {out}",
            "experiment decide {spec} --results {out}",
            "experiment figures {spec} --results {out}",
            "experiment report {spec} --results {out} --out {out}/report.html",
            "experiment emit slurm {spec} --store {out} --out {out}/{pre}run.sh",
        ],
        reads=[
            "experiment status {spec} --store {out}",
            "experiment collect {spec} --store {out} --out {new}/table",
            "contrast {out}/small/rows.csv.gz --between arm=sp,arm=dense",
            f"plot {{out}}/small/rows.csv.gz {PLOT} {{new}}/a.svg",
        ],
        stops=True,
    ),
    Work("sweep", ["sweep {dense} --size 16 --samples 60 --out {out}"], stops=True),
    Work("card", ["score --genome {moth} --size 16 --samples 6 --all --out {out}"]),
    Work(
        "sheets",
        [
            "judge sheets {moth} {mask} --count 4 --size 16 --out {out}",
            "judge labels {out} --from {answers} --second {answers}",
        ],
        ["judge labels {out} --from {answers} --second {answers}"],
        reads=["judge test {out}/labels.csv"],
    ),
    Work("site", ["studio {root} --export {out} --ids genomes/moth.json"]),
    Work("page", ["page --out {out}"]),
    Work(
        "files",
        [
            "score --genome {moth} --size 16 --samples 10 --out {out}/{pre}score.json",
            "render --genome {moth} --size 16 --out {out}/{pre}render.png",
            "maps --genome {moth} --size 16 --out {out}/{pre}maps.png",
            "maps --genome {moth} --size 16 --out {out}/{pre}maps.svg",
            "genome render {moth} --size 16 --out {out}/{pre}genome.png",
            "render --genome {moth} --size 16 --out {out}/{pre}render.jpg",
            "render --genome {moth} --size 16 --bits 16 --out {out}/{pre}render.tif",
            "animate morph {moth} {mask} --size 16 --seconds 0.2 --out {out}/{pre}morph.gif",
            "animate weight --genome {moth} --link 3 --from -1 --to 1 --size 16 --seconds 0.2 --out {out}/{pre}weight.apng",
            "animate zoom --genome {moth} --zoom 4 --size 16 --seconds 0.2 --out {out}/{pre}zoom.gif",
            "genome convert {moth} {out}/{pre}genome.json",
            "genome convert {moth} {out}/{pre}genome.xml",
            "genome convert {moth} {out}/{pre}genome.zip",
            "genome convert {moth} {out}/{pre}genome.dot",
            "genome layerize {moth} --out {out}/{pre}layers.npz",
            "genome compose face --seed 1 --out {out}/{pre}face.json",
            "family draw face --values 2 --size 16 --out {out}/{pre}family",
            "export {dense} --out {out}/{pre}e.safetensors",
            "export {dense} --out {out}/{pre}e.npz",
            "export {dense} --out {out}/{pre}e.onnx",
            "export {dense} --out {out}/{pre}e.glsl",
            "export {dense} --out {out}/{pre}e.dot",
            "plot {dense} {pruned} --out {out}/{pre}losses.svg",
            f"plot {{rows}} {PLOT} {{out}}/{{pre}}plot.svg",
            f"plot {{rows}} {PLOT} {{out}}/{{pre}}plot.pdf",
            "judge labels {sheets} --from {answers} --out {out}/{pre}labels.csv",
            "compare {moth} --spec {out}/{pre}compare.toml",
            "regime {face} --spec {out}/{pre}regime.toml",
            "distil {face} --spec {out}/{pre}distil.toml",
            "experiment depth-sweep {face} --spec {out}/{pre}depths.toml",
            "experiment emit slurm {spec} --store {store} --out {out}/{pre}slurm.sh",
            "experiment emit parallel {spec} --store {store} --out {out}/{pre}parallel.sh",
            "man --out {out}/man",
        ],
        reads=[
            "genome list",
            "family list",
            "genome info {out}/genome.json",
            "genome info {out}/genome.xml",
            "genome info {out}/genome.zip",
        ],
    ),
    Work("new", ["experiment new {out}/own.toml --targets {moth}"], reads=["experiment list {out}"]),
    Work(
        "inputs",
        ["genome convert {moth} {out}/moth.json"],
        [],
        [
            "genome info {out}/moth.json",
            "genome convert {out}/moth.json {new}/a.xml",
            "render --genome {out}/moth.json --size 16 --out {new}/a.png",
            "train --genome {out}/moth.json --target {out}/face.png --size 16 --steps 2 --out {new}/run",
            "train --genome {moth} --target {moth} --config {out}/settings.toml --size 16 --steps 2 --out {new}/run",
            "train --arch 2;sin:3 --mask {out}/mask.json --init {out}/weights.safetensors --target {face} --size 16"
            " --steps 2 --out {new}/run",
            "render --arch 2;sin:3 --params {out}/weights.safetensors --size 16 --out {new}/a.png",
            "render --arch 2;sin:3 --params {out}/weights.npz --size 16 --out {new}/a.png",
            "evolve --config {out}/search.toml --target {face} --generations 1 --population 4 --size 16 --out {new}/run",
            "score --genome {moth} --judge-model {out}/model.json --size 8 --samples 2",
            "score --genome {moth} --labels {out}/labels.csv --size 8 --samples 2",
            "judge test {out}/labels.csv",
            "judge labels {sheets} --from {out}/answers.csv --second {out}/second.csv --out {new}/labels.csv",
            "experiment list {out}",
            "experiment run {out}/small.toml --store {new}/store --dry-run",
            "experiment power {out}/small.toml",
            "experiment predict-depth {out}/face.png",
            "experiment emit slurm {spec} --template {out}/template.sh --out {new}/run.sh",
            "contrast {out}/rows.csv --between arm=sp,arm=dense",
            f"plot {{out}}/rows.csv {PLOT} {{new}}/a.svg",
            "plot {out}/losses.csv --out {new}/losses.svg",
            "compare {out}/face.png --spec {new}/compare.toml",
            "bench score --genome {out}/moth.json --size 16 --samples 2 --compared 1 --seconds 0.01",
        ],
    ),
]


def prepare(program, work):
    """Makes what the lines name besides their folder: a dictionary of paths."""
    inputs = work / "prepared"
    (inputs / "genomes").mkdir(parents=True)
    shutil.copy(ROOT / "genomes/bred_moth.json", inputs / "moth.json")
    shutil.copy(ROOT / "genomes/mask.json", inputs / "mask.json")
    shutil.copy(ROOT / "genomes/bred_moth.json", inputs / "genomes/moth.json")
    shutil.copy(ROOT / "experiments/targets/face.png", inputs / "face.png")
    (inputs / "small.toml").write_text(SPEC)
    (inputs / "rows.csv").write_text(ROWS)
    (inputs / "answers.csv").write_text("number,label\n1,c\n2,f\n3,c?\n4,c\n")
    places = {name: inputs / file for name, file in {
        "moth": "moth.json", "mask": "mask.json", "face": "face.png", "spec": "small.toml", "rows": "rows.csv",
        "answers": "answers.csv", "root": "", "dense": "dense", "pruned": "pruned", "sheets": "sheets",
        "store": "store",
    }.items()}  # fmt: skip
    for line in (
        f"{TRAIN} --steps 300 --out {{dense}}",
        "prune {dense} --budget 150 --steps 200 --out {pruned}",
        "judge sheets {moth} {mask} --count 4 --size 16 --out {sheets}",
        "judge labels {sheets} --from {answers}",
        "train --arch 2;sin:3 --target {face} --size 16 --steps 20 --out {root}/arch",
        "export {root}/arch --out {root}/weights.npz",
        "experiment run {spec} --store {store}",
    ):
        program.must(words(line, places))
    return places


def prepare_inputs(folder, places):
    """Puts one file of each kind that is given to commands into the folder of the work `inputs`."""
    root = places["root"]
    for name in ("moth.json", "mask.json", "face.png", "rows.csv", "answers.csv", "weights.npz"):
        shutil.copy(root / name, folder / name)
    (folder / "small.toml").write_text(SPEC.replace("mask.json", "moth.json"))
    shutil.copy(root / "answers.csv", folder / "second.csv")
    shutil.copy(root / "arch/mask.json", folder / "mask.json")
    shutil.copy(root / "arch/weights.safetensors", folder / "weights.safetensors")
    shutil.copy(ROOT / "crates/engine/src/score/dl/model.json", folder / "model.json")
    shutil.copytree(places["sheets"], folder, dirs_exist_ok=True)
    shutil.copy(ROOT / "crates/study/assets/emit/slurm.sh", folder / "template.sh")
    (folder / "settings.toml").write_text("lr = 0.001\n")
    (folder / "search.toml").write_text("search = \"novelty\"\n")
    (folder / "losses.csv").write_text("step,mse\n0,0.5\n10,0.25\n20,0.125\n")


def words(line, places, pre=""):
    """The words of a line. `pre` begins the name of each file that it writes."""
    return [word.format(pre=pre, **{name: str(path) for name, path in places.items()}) for word in line.split()]


def commands():
    """The first words of all lines: `train`, `experiment run`."""
    lines = [line for work in WORKS for line in [*work.fill, *(work.again or []), *work.reads]]
    groups = ("animate", "experiment", "family", "genome", "judge")
    return {" ".join(line.split()[: 2 if line.split()[0] in groups else 1]) for line in lines}


def concerned(lines, name):
    """The lines that a file of the folder concerns: all that name the folder, and those that name the file."""
    def concerns(line):
        named = [word[len("{out}/") :].replace("{pre}", "") for word in line.split() if word.startswith("{out}/")]
        return not named or any(name.startswith(word) for word in named) or "{out}" in line.split()

    return [line for line in lines if concerns(line)]


