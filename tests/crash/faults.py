"""Long commands that are killed, whose disk fills up or cannot be written to, whose workers are stopped and go on, and
which two users run on one store.

After every fault each file in the folder must be readable (but for the last line of a log), and a result that is there
must be the final one. In the end, after the same line has gone on, all files must have the bytes of an undisturbed run,
but for wall times.
"""

import json
import os
import random
import resource
import shlex
import shutil
import signal
import subprocess
import time

from common import RESULTS, ROOT, Finding, contents, files, is_flawed, leftovers, readable, timeless

NETWORKS = """kind = "networks"
name = "small"
question = "Does it go on?"
size = 16
steps = 1500
seeds = [0, 1]
sample = 8
[[targets]]
name = "moth"
genome = "genomes/bred_moth.json"
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
levels = ["threshold:0.35", "share:0.2"]
rounds = 2
[show]
arms = ["evolved", "sp-1"]
"""


class Case:
    """A command, OUT being its folder, whether it wants --resume to go on, and how many of it work there at a time. One
    that only `writes` keeps nothing before its end."""

    def __init__(self, name, line, resume, workers=1, writes=False):
        self.name, self.line, self.resume, self.workers, self.writes = name, line.split(), resume, workers, writes

    def arguments(self, out):
        """The line that begins, or goes on with what is begun."""
        line = [word.replace("OUT", str(out)) for word in self.line]
        if self.writes and os.access(out.parent, os.W_OK):
            out.mkdir(exist_ok=True)
        begun = out.exists() and any(out.rglob("config.toml"))
        return line + ["--resume"] if begun and self.resume else line



def cases(work):
    spec = work / "repository/experiments/small.toml"
    spec.parent.mkdir(parents=True)
    spec.write_text(NETWORKS)
    shutil.copytree(ROOT / "genomes", work / "repository/genomes")
    moth = "genomes/bred_moth.json"
    train = f"train --genome {moth} --wiring dense --target {moth} --size 32"
    return [
        Case("train", f"{train} --steps 4000 --out OUT", True),
        Case(
            "evolve",
            "evolve --target experiments/targets/face.png --generations 60 --population 60"
            " --size 32 --seed 3 --out OUT",
            True,
        ),
        Case("prune", f"prune {work}/dense --budget 150 --rounds 4 --steps 1000 --out OUT", True),
        Case("networks", f"experiment run {spec} --store OUT", False),
        Case("workers", f"experiment run {spec} --store OUT --threads 1", False, workers=2),
        Case("print", f"render --genome {moth} --size 2400x1200 --supersample 4 --out OUT/a.png", False, writes=True),
        Case("film", f"animate zoom --genome {moth} --zoom 4 --size 300 --seconds 2 --out OUT/a.gif", False, writes=True),
        Case(
            "study",
            "run experiments/study.toml --profile smoke --store OUT",
            False,
        ),
    ], [
        f"{train} --steps 500 --out {work}/dense".split(),
    ]


class Faults:
    """The faults, one command at a time."""

    def __init__(self, program, options, work, table):
        self.program, self.options, self.work, self.table = program, options, work, table
        self.random = random.Random(options.seed)

    def undisturbed(self, case):
        out = self.work / f"{case.name}-whole"
        begun = time.monotonic()
        self.program.must(case.arguments(out))
        self.took = time.monotonic() - begun
        self.whole = contents(out)
        self.largest = max(path.stat().st_size for path in files(out))
        # In pages of 4 KiB, as a file system in memory counts.
        self.kib = sum(-(-path.stat().st_size // 4096) * 4 for path in files(out))

    def killed(self, case):
        """Kills until there were enough; every few times the run may end and is compared."""
        kills, runs, lost = 0, 0, 0
        while kills < self.options.kills:
            out = self.work / f"{case.name}-killed"
            runs += 1
            # A cell with which five workers died, one after the other, counts as failed.
            last = 4 if case.name in ("networks", "workers", "study") else 8
            for attempt in range(last + 1):
                # Beside the one that is killed: they take its cells over.
                others = [self.program.start(case.arguments(out)) for _ in range(1, case.workers)]
                process = self.program.start(case.arguments(out))
                moment = self.random.uniform(0, 1.1 * self.took)
                # Now and then it is asked first, so that checkpoints are gone on from too.
                asks = self.random.random() < (0.75 if case.writes else 0.25)
                has_ended = False
                try:
                    if attempt == last:
                        moment = None
                    error = process.communicate(timeout=moment)[1]
                    if process.returncode != 0:
                        raise Finding(f"{case.name} does not go on: {error.decode().strip()}")
                    has_ended = True
                except subprocess.TimeoutExpired:
                    if asks:
                        self.asked(case, process, out)
                    else:
                        process.kill()
                        process.communicate()
                    kills += 0 if asks and not case.writes else 1
                for other in others:
                    error = other.communicate()[1]
                    if other.returncode != 0:
                        raise Finding(f"{case.name}, beside a killed one: {error.decode().strip()}")
                lost += len(leftovers(out))
                self.check(out)
                if has_ended:
                    break
            self.compare(case, out)
            shutil.rmtree(out)
        return kills, f"nothing; {lost} temporary files, removed by the next run ({runs} runs)"

    def asked(self, case, process, out):
        """A signal or two, after which it ends in two seconds, on a machine that does other things besides, and leaves no
        temporary file."""
        for _ in range(self.random.choice([1, 1, 2])):
            process.send_signal(self.random.choice([signal.SIGINT, signal.SIGTERM, signal.SIGHUP]))
        begun = time.monotonic()
        process.communicate()
        if time.monotonic() - begun > 5:
            raise Finding(f"{case.name}: ended {time.monotonic() - begun:.1f} s after it was asked to")
        if any(path.name.endswith(f"-{process.pid}.tmp") for path in leftovers(out)):
            raise Finding(f"{case.name}: left a temporary file when it was asked to end")

    def full_disk(self, case):
        """A disk with little room, which is then given more."""
        if not self.can_mount():
            return None
        tries = max(1, self.options.kills // 5)
        failed = 0
        for _ in range(tries):
            room = self.random.randrange(8, max(9, min(1024, self.kib)))
            with Mounted(self.work / "disk", room) as disk:
                out = disk.path / "out"
                code, error = self.program.finish(case.arguments(out))
                if code != 0:
                    failed += 1
                    full = "No space left" in error or " failed" in error
                    if code != 1 or not full or "panicked" in error:
                        raise Finding(f"{case.name} on a full disk: exit {code}, {error.strip()}")
                    self.check(out)
                    self.holds_nothing(case, out)
                disk.remount("size=256m")
                if code != 0:
                    self.program.must(case.arguments(out))
                self.compare(case, out)
        return tries, f"nothing; {failed} ended with exit 1 and the path"

    def read_only(self, case):
        """A folder that nothing can be written to, empty and half done."""
        tries = 0
        if not self.can_mount():
            return None
        with Mounted(self.work / "disk", 256 * 1024) as disk:
            out = disk.path / "out"
            for share in (0, 0.5):
                finished = False
                if share:
                    process = self.program.start(case.arguments(out))
                    try:
                        process.communicate(timeout=share * self.took)
                        # It was quicker this time: a finished run is only read.
                        finished = process.returncode == 0
                    except subprocess.TimeoutExpired:
                        process.kill()
                        process.communicate()
                before = contents(out)
                disk.remount("ro")
                code, error = self.program.finish(case.arguments(out))
                tries += 1
                if not (finished and code == 0) and (code != 1 or str(disk.path) not in error or "panicked" in error):
                    raise Finding(f"{case.name}, read-only: exit {code}, {error.strip()}")
                disk.remount("rw")
                if contents(out) != before:
                    raise Finding(f"{case.name}, read-only: something was written")
                self.holds_nothing(case, out)
            self.program.must(case.arguments(out))
            self.compare(case, out)
        return tries, "nothing; exit 1 and the path"

    def limited(self, case):
        """A limit on the length of files, which is then taken away: the system ends who writes more by SIGXFSZ."""
        tries, failed = max(1, self.options.kills // 5), 0
        for _ in range(tries):
            limit = self.random.randrange(1, self.largest)
            out = self.work / f"{case.name}-limited"
            limits = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
            code, error = self.program.finish(case.arguments(out), preexec_fn=limits)
            if code != 0:
                failed += 1
                is_told = "File too large" in error or " failed" in error
                if code != 1 or not is_told or "panicked" in error:
                    raise Finding(f"{case.name}, files of {limit} bytes: exit {code}, {error.strip()}")
                self.check(out)
                self.program.must(case.arguments(out))
            self.compare(case, out)
            shutil.rmtree(out)
        return tries, f"nothing; {failed} ended with exit 1 and the path"

    def stopped(self, case):
        """Workers that are stopped for longer than six beats and go on, some of them killed or asked to end: a stopped
        one is overtaken, comes back, and its taker is killed."""
        if case.workers < 2:
            return None
        stops, kills, left = 0, 0, 0
        for number in range(self.options.rounds):
            out = self.work / f"{case.name}-stopped"
            start = lambda: self.program.start(case.arguments(out) + ["--beat", "0.05"])
            workers = [start() for _ in range(case.workers + 1)]
            # A cell with which five workers died, one after the other, counts as failed.
            deaths, until = 4, time.monotonic() + 3 * self.took
            while time.monotonic() < until:
                which = self.random.randrange(len(workers))
                worker, chance = workers[which], self.random.random()
                if worker.poll() is not None:
                    break
                if chance < 0.8:
                    worker.send_signal(signal.SIGSTOP)
                    time.sleep(self.random.uniform(0.1, 1))
                    stops += 1
                if chance < 0.1 or chance > 0.9:
                    asks = deaths == 0 or self.random.random() < 0.3
                    worker.send_signal(signal.SIGINT if asks else signal.SIGKILL)
                    deaths, kills = deaths - (not asks), kills + (not asks)
                    worker.send_signal(signal.SIGCONT)
                    worker.communicate()
                    workers[which] = start()
                worker.send_signal(signal.SIGCONT)
                time.sleep(self.random.uniform(0, 0.2))
            for worker in workers:
                self.ended(case, worker)
            self.program.must(case.arguments(out))
            # A worker that is killed after another has finished its cell leaves its log and its temporary files.
            for path in [*out.rglob("metrics.part.jsonl"), *leftovers(out)]:
                if path.suffix == ".tmp" or (path.parent / "result.json").exists():
                    path.unlink()
                    left += 1
            self.check(out)
            self.compare(case, out)
            shutil.rmtree(out)
            print(f"round {number + 1}: {stops} stops, {kills} kills, {left} files left", flush=True)
        told = f"{kills} workers killed meanwhile, {left} files of theirs left ({self.options.rounds} runs)"
        return stops, f"nothing; {told}"

    @staticmethod
    def ended(case, worker):
        error = worker.communicate()[1].decode()
        if worker.returncode != 0:
            raise Finding(f"{case.name}, stopped: exit {worker.returncode}, {error.strip()}")

    def two_users(self, case):
        """Workers of two users on one store, who do not see each other's processes."""
        if case.workers < 2 or not self.can_hide():
            return None
        rounds = max(1, self.options.rounds // 10)
        out = self.work / f"{case.name}-users"
        self.work.chmod(0o755)
        for _ in range(rounds):
            for hides in ("hidepid=1", "hidepid=2"):
                # The folders are open to both.
                out.mkdir()
                out.chmod(0o777)
                line = shlex.join(map(str, [self.program.path, *case.arguments(out)]))
                user = lambda number: f"{self.as_user(number)} {line} & workers+=($!)"
                script = f"mount -o remount,{hides} /proc && umask 0 && workers=()\n"
                script += f"{user(1001)}\n{user(1002)}\n{user(1001)}\n"
                script += 'code=0; for worker in ${workers[@]}; do wait $worker || code=1; done; exit $code'
                done = self.hidden(script)
                if done.returncode != 0:
                    raise Finding(f"{case.name}, two users, {hides}: {done.stderr.decode().strip()}")
                self.check(out)
                self.compare(case, out)
                shutil.rmtree(out)
        return 2 * rounds, "nothing; both users' workers ended with exit 0"

    @staticmethod
    def as_user(number):
        return f"setpriv --reuid {number} --regid {number} --clear-groups"

    @staticmethod
    def hidden(script):
        """Runs a script where /proc is its own."""
        line = ["unshare", "--mount", "--pid", "--fork", "--mount-proc", "bash", "-c", script]
        return subprocess.run(line, cwd=ROOT, capture_output=True)

    def can_hide(self):
        run = f"{self.as_user(1001)} {shlex.quote(str(self.program.path))} --version"
        done = self.hidden(f"mount -o remount,hidepid=1 /proc && {run}")
        if done.returncode != 0:
            print(f"SKIPPED: two users: needs root ({done.stderr.decode().strip()})")
        return done.returncode == 0

    def holds_nothing(self, case, out):
        """A worker that could not write has given its cells back, and blames none of them."""
        if case.line[:2] != ["experiment", "run"]:
            return
        line = [self.program.path, "experiment", "status", case.line[2], "--store", out, "--json"]
        status = json.loads(subprocess.run(line, capture_output=True, check=True).stdout)
        if status["failed"] or not all(cell["is_dead"] for cell in status["held"]):
            raise Finding(f"{case.name}: {status['failed']} failed, {status['held']} held")

    def can_mount(self):
        if not hasattr(self, "mounts"):
            try:
                with Mounted(self.work / "disk", 64):
                    self.mounts = True
            except OSError as error:
                self.mounts = False
                print(f"SKIPPED: full disk and read-only folder: cannot mount a tmpfs ({error})")
        return self.mounts

    def check(self, out):
        """Everything is readable, and what calls itself a result is the final one."""
        for path in files(out):
            name = str(path.relative_to(out))
            readable(path)
            if path.name in RESULTS and name in self.whole and "failed" not in name:
                if self.whole[name] != timeless(path, out) and not is_flawed(path):
                    raise Finding(f"{path}: not the final bytes")

    def compare(self, case, out):
        found = contents(out)
        if found.keys() != self.whole.keys():
            raise Finding(f"{case.name}: other files: {sorted(found.keys() ^ self.whole.keys())}")
        for name, content in self.whole.items():
            if found[name] != content:
                kept = self.work.parent / "crash-finding"
                shutil.rmtree(kept, ignore_errors=True)
                shutil.copytree(out, kept / "found")
                shutil.copytree(self.work / f"{case.name}-whole", kept / "whole")
                raise Finding(f"{case.name}: {name} has other bytes; see {kept}")

    def run(self, case):
        self.undisturbed(case)
        faults = {
            "kill": ("kill -9", self.killed),
            "disk": ("disk full", self.full_disk),
            "read-only": ("read-only", self.read_only),
            "limit": ("ulimit -f", self.limited),
            "stop": ("stop, go on, kill -9", self.stopped),
            "users": ("two users", self.two_users),
        }
        for name, (fault, work) in faults.items():
            if self.options.has(name):
                begun = time.monotonic()
                found = work(case)
                if found is not None:
                    self.table.add(fault, case.name, *found, begun)


class Mounted:
    """A file system in memory of so many KiB."""

    def __init__(self, path, kib):
        self.path, self.kib = path, kib

    def __enter__(self):
        self.path.mkdir(exist_ok=True)
        self.call("mount", "-t", "tmpfs", "-o", f"size={self.kib}k", "tmpfs", self.path)
        return self

    def __exit__(self, *_):
        self.call("umount", self.path)

    def remount(self, options):
        self.call("mount", "-o", f"remount,{options}", self.path)

    @staticmethod
    def call(*command):
        done = subprocess.run(command, capture_output=True)
        if done.returncode != 0:
            raise OSError(done.stderr.decode().strip())
