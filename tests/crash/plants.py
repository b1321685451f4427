"""Folders of strangers: in the place of each file that a command writes or reads, a link, a pipe, a device, a folder or
a huge file is planted, and the command is run. Snapshots by hard links. Names that are no UTF-8, or as long as can be.

Each run must end by itself, with success or with an error that names the file. It takes no more memory than an
undisturbed one, and nothing outside of its folder changes. If it succeeds, the folder has the bytes of an undisturbed
run. If it is refused, the same line succeeds once the file is as it was.
"""

import itertools
import os
import random
import re
import shutil
import signal
import socket
import stat
import subprocess
import tempfile
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

import works
from common import ROOT, Finding, contents, shown

# Seconds that a command may take beyond its usual time: a worker waits for six of its ten-second beats.
PATIENCE = 100
# MiB of memory that a command may take beyond its usual ones.
SLACK = 256
LONGEST_NAME = 255


def link_to_precious(path, elsewhere):
    (elsewhere / "precious").write_text("years of work")
    path.unlink(missing_ok=True)
    path.symlink_to(elsewhere / "precious")


def link_to_copy(path, elsewhere):
    path.symlink_to(moved(path, elsewhere))


def hard_link(path, elsewhere):
    path.hardlink_to(moved(path, elsewhere))


def dangling_link(path, elsewhere):
    path.unlink(missing_ok=True)
    path.symlink_to(elsewhere / "none")


def link_to_zero(path, _):
    path.unlink(missing_ok=True)
    path.symlink_to("/dev/zero")


def pipe(path, _):
    path.unlink(missing_ok=True)
    os.mkfifo(path)


def open_socket(path, _):
    path.unlink(missing_ok=True)
    # The path of a socket may be a hundred bytes long only.
    with tempfile.TemporaryDirectory() as short, socket.socket(socket.AF_UNIX) as bound:
        bound.bind(f"{short}/s")
        os.rename(f"{short}/s", path)


def folder(path, _):
    path.unlink(missing_ok=True)
    path.mkdir()


def huge_file(path, _):
    path.unlink(missing_ok=True)
    with path.open("wb") as file:
        file.truncate(1 << 40)


def moved(path, elsewhere):
    """The file, moved elsewhere; a precious one if there is none."""
    there = elsewhere / path.name
    if path.exists():
        path.rename(there)
    else:
        there.write_text("years of work")
    return there


PLANTS = {
    "a link to a precious file": link_to_precious,
    "a link to its copy": link_to_copy,
    "a hard link": hard_link,
    "a link to nothing": dangling_link,
    "a link to /dev/zero": link_to_zero,
    "a pipe": pipe,
    "a socket": open_socket,
    "a folder": folder,
    "a file of a terabyte": huge_file,
}


# In the place of a folder in the folder.
LINKED_FOLDER = "a link to a folder elsewhere"


def all_files(folder):
    """Every file of a folder, hidden ones too; no temporary files."""
    # Folders may vanish meanwhile, which `os.walk` bears.
    found = (Path(at, name) for at, _, names in os.walk(folder) for name in names)
    return [path for path in found if path.suffix != ".tmp"]


def names_in(folder):
    return {str(path.relative_to(folder)) for path in all_files(folder)}


def folders_in(folder):
    """The folders below those that say what they hold. A study's folder in a store may be a link: whoever put it there
    chose so."""
    names = {os.path.relpath(at, folder) for at, _, _ in os.walk(folder)} - {"."}
    return {name for name in names if any((folder / above / "picloom.json").exists() for above in Path(name).parents)}


def whole_state(folder):
    """What lies in a folder, to compare it later."""
    found = {}
    for path in folder.rglob("*"):
        kind = path.lstat()
        content = path.read_bytes() if stat.S_ISREG(kind.st_mode) else None
        found[path.relative_to(folder)] = (kind.st_mode, content, path.is_symlink() and os.readlink(path))
    return found


def is_planted(path):
    """True if no plain file of a usual size lies there."""
    if not os.path.lexists(path):
        return False
    found = path.lstat()
    return not stat.S_ISREG(found.st_mode) or found.st_size > 1 << 30




def shape(name):
    """The same for files that differ in numbers and hashes, and for pictures and genomes that lie in one folder."""
    name = re.sub(r"\b(views|genomes|sheets|targets|man|pairs)/.*\.", r"\1/#.", name)
    return re.sub(r"[0-9a-f]{6,}|\d+", "#", name)


class State(NamedTuple):
    """A folder as a command left it, and what the lines that go on with it come to."""

    name: str
    folder: Path
    lines: list
    code: int
    expected: dict
    peak: int
    took: float


class Try(NamedTuple):
    """One file, what is planted there, and the lines that are run."""

    state: State
    lines: list
    goes_on: bool
    file: str
    plant: str


class Plants:
    def __init__(self, program, options, work, table):
        self.program, self.options, self.table = program, options, table
        self.work = work / "plants"
        self.random = random.Random(options.seed)
        self.findings, self.count, self.lock = [], itertools.count(), threading.Lock()
        self.seconds = {}

    def run(self):
        has, wants = self.options.has, self.options.wants
        wanted = [work for work in works.WORKS if wants(work.name) and any(map(has, ("plants", "snapshots", "names")))]
        if not wanted and not (wants("studio") and any(map(has, ("studio", "idle")))):
            return
        self.work.mkdir()
        self.places = works.prepare(self.program, self.work)
        self.knows_all_commands()
        for work in wanted:
            try:
                self.work_through(work)
            except Finding as finding:
                self.findings.append(f"{work.name}: {finding}")
                print(f"FINDING: {self.findings[-1]}", flush=True)
            shutil.rmtree(self.work / work.name, ignore_errors=True)

    def work_through(self, work):
        seen = set()
        whole = self.filled(work, self.work / work.name / "whole", seen)
        states = [self.state(work, "whole", whole)]
        half = self.half(work) if work.stops else None
        if half:
            states.append(self.state(work, "half", half))
        if self.options.has("plants"):
            self.plant(work, states, seen)
        if self.options.has("snapshots") and work.again != []:
            self.snapshots(work, states)
        if self.options.has("names") and work.name != "inputs":
            self.names(work, states[0])

    def knows_all_commands(self):
        """Every command of the program is in the works, so that a new one is not forgotten."""
        pages = self.work / "pages"
        self.program.must(["man", "--out", pages])
        names = {page.stem.replace("-", " ", 2).removeprefix("picloom").strip() for page in pages.iterdir()}
        groups = {name for name in names if any(other.startswith(f"{name} ") for other in names)}
        # `completions` reads no file and writes none.
        if missing := names - groups - works.commands() - {"", "completions"}:
            raise Finding(f"tests/crash/works.py has no line of {', '.join(sorted(missing))}")

    # What a command leaves.

    def around(self, work):
        """A new folder for one try."""
        path = self.work / work.name / f"{next(self.count)}"
        for name in ("elsewhere", "new"):
            (path / name).mkdir(parents=True)
        return path

    def line(self, line, around, out, **more):
        places = self.places | {"out": out, "id": out.name, "new": around / "new", "around": around}
        return ["--threads", "1", *works.words(line, places, **more)]

    def filled(self, work, around, seen):
        """The folder that the command fills. `seen` takes the names of all files that were there meanwhile."""
        around.mkdir(parents=True)
        out = around / "out"
        look = lambda: seen.update(names_in(out))
        if work.name in ("files", "new", "inputs"):
            out.mkdir()
        if work.name == "inputs":
            works.prepare_inputs(out, self.places)
        for line in work.fill:
            ended = self.program.measured(self.line(line, around, out), PATIENCE, look)
            if ended.code != 0:
                raise Finding(f"{line}: exit {ended.code}, {ended.error.strip()}")
        look()
        return out

    def half(self, work):
        """The folder as Ctrl-C leaves it half-way."""
        if work.name not in self.seconds:
            around, begun = self.around(work), time.monotonic()
            self.program.measured(self.line(work.fill[0], around, around / "out"), PATIENCE)
            self.seconds[work.name] = time.monotonic() - begun
        for _ in range(20):
            around = self.around(work)
            line = [self.program.path, *self.line(work.fill[0], around, around / "out")]
            process = subprocess.Popen(line, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            time.sleep(self.random.uniform(0.2, 0.9) * self.seconds[work.name])
            process.send_signal(signal.SIGINT)
            ended = process.wait()
            if ended == 130 and all_files(around / "out"):
                return around / "out"
            # The machine is quicker now than when it was timed.
            self.seconds[work.name] *= 0.7 if ended == 0 else 1.2
        raise Finding(f"{work.fill[0]} was never stopped half-way")

    def state(self, work, name, folder):
        """What the lines that go on come to if nothing is planted."""
        lines = work.fill if work.again is None else work.again
        if name == "half" and not any(folder.rglob("config.toml")):
            # There is nothing to resume.
            lines = work.fill
        around = self.around(work)
        shutil.copytree(folder, around / "out", symlinks=True)
        begun = time.monotonic()
        code, _, peak = self.all_of(lines, around, PATIENCE)
        for line in work.reads if name == "whole" else []:
            peak = max(peak, self.program.measured(self.line(line, around, around / "out"), PATIENCE).peak)
        if code != 0 and work.name != "new":
            raise Finding(f"{work.name} does not go on: exit {code}")
        return State(name, folder, lines, code, contents(around / "out"), peak, time.monotonic() - begun)

    def all_of(self, lines, around, seconds):
        """Runs lines one after the other: the first exit code that is not 0 with its messages, and the most memory."""
        peak, first = 0, None
        for line in lines:
            ended = self.program.measured(self.line(line, around, around / "out"), seconds)
            if ended.code not in (0, 1, 2) or "panicked" in ended.error:
                raise Finding(f"{line}: exit {ended.code}, {ended.error.strip()}")
            peak = max(peak, ended.peak)
            if ended.code != 0 and first is None:
                first = (ended.code, ended.error)
        return *(first or (0, "")), peak

    # In the place of each file.

    def plant(self, work, states, seen):
        begun = time.monotonic()
        tries = list(self.tries(work, states, seen))
        if self.options.short:
            tries = self.random.sample(tries, min(len(tries), 4 if work.has_runs else 12))
        refused = 0
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            for was_refused in pool.map(lambda wanted: self.guarded(work, wanted), tries):
                refused += was_refused
        kinds = len({wanted.file for wanted in tries})
        broke = f"nothing; {refused} refused" if not self.broken(work) else f"{self.broken(work)} findings"
        self.table.add(f"planted in the place of {kinds} files", work.name, len(tries), broke, begun)

    def broken(self, work):
        return sum(finding.startswith(f"{work.name}: ") for finding in self.findings)

    def tries(self, work, states, seen):
        """The tries for each file; of files of one kind, for the first."""
        names = seen.union(*(names_in(state.folder) for state in states))
        shapes = {}
        for name in sorted(names):
            if not (work.has_runs and re.search("[0-9a-f]{16}", name)):
                shapes.setdefault(shape(name), name)
        for name in shapes.values():
            found = []
            for state in states:
                ways = [(works.concerned(state.lines, name), True)]
                if state.name == "whole":
                    ways += [([line], False) for line in works.concerned(work.reads, name)]
                ways = [way for way in ways if way[0]]
                found += [Try(state, *way, name, plant) for way in ways for plant in PLANTS]
            most = self.options.plants
            yield from found if most is None else self.random.sample(found, min(most, len(found)))
        for state in states:
            shapes = {}
            for name in sorted(folders_in(state.folder)):
                if not (work.has_runs and re.search("[0-9a-f]{16}", name)):
                    shapes.setdefault(shape(name), name)
            lines = {name: works.concerned(state.lines, name) for name in shapes.values()}
            yield from (Try(state, lines[name], True, name, LINKED_FOLDER) for name in lines if lines[name])

    def guarded(self, work, wanted):
        around = self.around(work)
        try:
            return self.attempt(work, wanted, around)
        except Finding as finding:
            what = f"{work.name}: {wanted.plant} as {wanted.file} ({wanted.state.name}): {finding}"
            with self.lock:
                self.findings.append(what.replace(str(around), "…"))
                print(f"FINDING: {self.findings[-1]}", flush=True)
            return False
        finally:
            shutil.rmtree(around, ignore_errors=True)

    def attempt(self, work, wanted, around):
        """True if the command was refused, as it should be."""
        state, out, elsewhere = wanted.state, around / "out", around / "elsewhere"
        shutil.copytree(state.folder, out, symlinks=True)
        path = out / wanted.file
        path.parent.mkdir(parents=True, exist_ok=True)
        (PLANTS | {LINKED_FOLDER: link_to_copy})[wanted.plant](path, elsewhere)
        before = whole_state(elsewhere)
        own = contents(out, [path])
        code, error, peak = self.all_of(wanted.lines, around, PATIENCE + 10 * state.took)
        if whole_state(elsewhere) != before:
            raise Finding(f"{wanted.lines[0]} changed what it points to")
        if peak > state.peak + SLACK:
            raise Finding(f"{wanted.lines[0]} took {peak} MiB, {state.peak} undisturbed")
        # Any text is a table of one column: then the error names the column that is asked for.
        is_table = ".csv" in path.suffixes and wanted.plant == "a link to a precious file"
        if code != 0 and state.code == 0 and path.name not in error and str(out) not in error and not is_table:
            raise Finding(f"{wanted.lines[0]}: exit {code} with an error that names no file: {error.strip()}")
        if not wanted.goes_on:
            same(own, contents(out, [path]), f"{wanted.lines[0]}, which only reads,")
        elif code == 0:
            # What is planted may stay where the command has no use for it.
            stays = is_planted(path) or wanted.file not in state.expected
            is_it = lambda name: f"{name}/".startswith(f"{wanted.file}/")
            expected = {name: content for name, content in state.expected.items() if not (stays and is_it(name))}
            same(expected, contents(out, [path] if stays else []), wanted.lines[0])
        elif state.code == 0:
            self.goes_on(work, wanted, around, path)
        return code != 0

    def goes_on(self, work, wanted, around, path):
        """The same lines succeed once the file is as it was."""
        there = wanted.state.folder / wanted.file
        if os.path.lexists(path):
            shutil.rmtree(path) if path.is_dir() and not path.is_symlink() else path.unlink()
        if there.exists():
            (shutil.copytree if there.is_dir() else shutil.copy2)(there, path)
        code, error, _ = self.all_of(wanted.state.lines, around, PATIENCE + 10 * wanted.state.took)
        if code != 0:
            raise Finding(f"{wanted.lines[0]} was refused and does not go on afterwards: {error.strip()}")
        if not work.adds:
            same(wanted.state.expected, contents(around / "out"), f"{wanted.lines[0]}, refused once,")

    # Snapshots.

    def snapshots(self, work, states):
        begun, tries = time.monotonic(), 0
        halves = 0 if not work.stops else 1 if self.options.short else 4
        states = states + [self.state(work, "half", self.half(work)) for _ in range(halves - 1)]
        for state in states:
            if state.code != 0:
                continue
            around = self.around(work)
            out, snapshot = around / "out", around / "snapshot"
            shutil.copytree(state.folder, out, symlinks=True)
            shutil.copytree(out, snapshot, symlinks=True, copy_function=os.link)
            before = whole_state(snapshot)
            for going, other in ((out, snapshot), (snapshot, out)):
                code, error, found = self.go_on_in(going, state.lines, around)
                if code != 0:
                    raise Finding(f"{going.name} ({state.name}) does not go on: {error.strip()}")
                same(state.expected, found, f"{going.name} ({state.name})")
                if whole_state(other) != before:
                    raise Finding(f"going on with {going.name} ({state.name}) changed {other.name}")
                before = whole_state(going)
                tries += 1
            shutil.rmtree(around)
        self.table.add("snapshots by hard links, both go on", work.name, tries, "nothing", begun)

    def go_on_in(self, folder, lines, around):
        """Runs lines in a folder under the name that it has in every try, so that all have the same bytes."""
        usual, aside = around / "out", around / "aside"
        if folder != usual:
            usual.rename(aside)
            folder.rename(usual)
        code, error, _ = self.all_of(lines, around, PATIENCE)
        found = contents(usual)
        if folder != usual:
            usual.rename(folder)
            aside.rename(usual)
        return code, error, found

    # Names.

    def names(self, work, whole):
        """Folders and files with odd names: what is written, and what is read."""
        begun, tries, refused = time.monotonic(), 0, 0
        odd = os.fsdecode(b"o\xff\xfe")
        long = "n" * LONGEST_NAME
        for kind in [self.random.choice((odd, long))] if self.options.short else (odd, long):
            # Odd folders, odd files in a usual folder, and odd inputs.
            for where in ("folder", "files", "inputs"):
                lines = work.fill if where != "inputs" else [*work.fill, *work.reads]
                if where == "files":
                    lines = [line for line in lines if "{pre}" in line]
                around = self.around(work)
                out = around / (kind if where == "folder" else "out")
                if work.name in ("files", "new") or where == "files":
                    out.mkdir()
                for line in lines:
                    tries += 1
                    is_refused = self.named(line, around, out, kind, where)
                    refused += is_refused
                    # The lines after it go on with what it has not made.
                    if is_refused and work.name not in ("files", "experiment"):
                        break
                if where == "folder":
                    other = contents(out).keys() ^ contents(whole.folder).keys()
                    # A script cannot name such a store.
                    if other - {"run.sh"}:
                        raise Finding(f"in a folder {shown([kind])}: other files: {other}")
                for line in work.reads if where == "folder" else []:
                    tries += 1
                    refused += self.named(line, around, out, kind, where)
                shutil.rmtree(around)
        broke = f"nothing; {refused} refused"
        self.table.add("names that are no UTF-8, and of 255 bytes", work.name, tries, broke, begun)

    def named(self, line, around, out, kind, where):
        """Runs a line with odd names: 1 if it says that a text cannot name the path, 0 if it succeeds."""
        arguments = self.line(line, around, out, pre="\0" if where == "files" else "")
        if where == "inputs":
            # A copy of an odd name beside it.
            for name in ("moth", "mask", "face", "spec", "rows", "answers", "dense", "pruned", "sheets"):
                path = self.places[name]
                other = path.with_name(named(kind, name + path.suffix))
                arguments = [str(other) if word == str(path) else word for word in arguments]
                if str(other) in arguments and not os.path.lexists(other):
                    (shutil.copytree if path.is_dir() else shutil.copy)(path, other)
        for i, word in enumerate(arguments):
            if "\0" in word:
                arguments[i] = str(Path(word).with_name(named(kind, word.rsplit("\0", 1)[1])))
        ended = self.program.measured(arguments, PATIENCE)
        told = "UTF-8" in ended.error
        if "panicked" in ended.error or ended.code not in ((0, 1, 2) if told else (0,)):
            raise Finding(f"{shown(arguments)}: exit {ended.code}, {ended.error.strip()}")
        return ended.code != 0


def named(kind, ending):
    """A name of this kind with an ending, as long as the system takes it."""
    longest = LONGEST_NAME if "." in ending else LONGEST_NAME - len(".svg")
    return kind[: longest - len(ending)] + ending


def same(expected, found, what):
    if expected.keys() != found.keys():
        raise Finding(f"{what} left other files: {sorted(expected.keys() ^ found.keys())}")
    for name, content in expected.items():
        if found[name] != content:
            raise Finding(f"{what} left other bytes in {name}")
