"""The studio of a folder that strangers filled, and beside connections that hold on to it.

Files are planted in its root as in the folders of commands; then a page's requests are made. Each must be answered in
time, nothing outside of the root changes or is shown, and the library is still there in the end. Idle connections of
several kinds: others are answered, and a training goes on to the bytes that it has without them.
"""

import http.client
import json
import os
import random
import resource
import shutil
import signal
import socket
import subprocess
import time
from concurrent.futures import ThreadPoolExecutor
from urllib.parse import quote

from common import ROOT, Finding
from plants import PLANTS, names_in, whole_state

# Seconds in which a request is answered while nobody else asks.
SOON = 20
# Seconds in which one is answered beside connections that hold on: a body may take thirty, and an answer too.
LATE = 100
# As many files as macOS lets a process open.
FILES = 256
SECRET = "years of work"

TRAINING = {"kind": "train", "id": "genomes/moth.json", "wiring": "dense", "size": 16, "seed": 3}


class Served:
    """A studio of a root."""

    def __init__(self, program, root, **more):
        self.said = root.with_suffix(".said")
        with self.said.open("w") as said:
            self.process = subprocess.Popen(
                [program.path, "--threads", "2", "studio", "--json", "--quiet", "--port", "4700", root],
                cwd=ROOT, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=said, **more,
            )  # fmt: skip
        text = ""
        while not text.rstrip().endswith("}"):
            line = self.process.stdout.readline().decode()
            if not line:
                raise Finding(f"the studio ended: {self.said.read_text()}")
            text += line
        self.port = int(json.loads(text)["address"].rstrip("/").rsplit(":", 1)[1])

    def ask(self, method, path, body=None, seconds=SOON):
        """The status and the content of an answer."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=seconds)
        try:
            headers = {"content-type": "application/json"} if body is not None else {}
            connection.request(method, path, None if body is None else json.dumps(body), headers)
            answer = connection.getresponse()
            return answer.status, answer.read()
        except OSError as error:
            raise Finding(f"{method} {path}: no answer in {seconds} s: {error}") from error
        finally:
            connection.close()

    def get(self, path, seconds=SOON):
        return self.ask("GET", path, seconds=seconds)

    def must(self, method, path, body=None, seconds=SOON):
        status, content = self.ask(method, path, body, seconds)
        if status not in (200, 201):
            raise Finding(f"{method} {path}: {status}, {content[:200]}")
        return json.loads(content)

    def until(self, path, wanted, seconds):
        """Asks until the answer is as wanted; the last answer."""
        until = time.monotonic() + seconds
        while True:
            status, content = self.get(path, LATE)
            answer = json.loads(content) if status == 200 else None
            if wanted(status, answer):
                return answer
            if time.monotonic() > until:
                raise Finding(f"{path}: still {status}, {content[:200]}")
            time.sleep(0.05)

    def end(self):
        """Ends it by Ctrl-C: the most memory that it held, in MiB."""
        self.process.send_signal(signal.SIGINT)
        until = time.monotonic() + SOON
        while True:
            found, status, usage = os.wait4(self.process.pid, os.WNOHANG)
            if found:
                break
            if time.monotonic() > until:
                self.kill()
                raise Finding("the studio does not end by Ctrl-C")
            time.sleep(0.01)
        self.process.returncode = os.waitstatus_to_exitcode(status)
        self.process.stdout.close()
        said = self.said.read_text()
        if self.process.returncode != 130 or "panicked" in said:
            raise Finding(f"the studio ended with exit {self.process.returncode}: {said}")
        return usage.ru_maxrss >> 10

    def kill(self):
        if self.process.returncode is None:
            self.process.kill()
            self.process.wait()


class Studio:
    def __init__(self, program, options, work, table, plants):
        self.program, self.options, self.table = program, options, table
        self.plants, self.work = plants, work / "studio"
        self.random = random.Random(options.seed)
        self.findings = []

    def run(self):
        """The findings."""
        wanted = [name for name in ("studio", "idle") if self.options.has(name) and self.options.wants("studio")]
        if wanted:
            self.work.mkdir()
            try:
                self.base = self.filled()
                if "studio" in wanted:
                    self.plant()
                if "idle" in wanted:
                    self.idle()
            except Finding as finding:
                self.findings.append(f"studio: {finding}")
        return self.findings

    def root(self, name):
        root = self.work / name / "root"
        (root / "genomes").mkdir(parents=True)
        shutil.copy(self.plants.places["moth"], root / "genomes/moth.json")
        return root

    def filled(self):
        """A root that the page has worked in, with a study beside."""
        root, self.seen = self.root("base"), set()
        shutil.copytree(self.plants.places["store"] / "small", root / "small")
        served = Served(self.program, root)
        try:
            self.page(served, root, must=True)
            self.peak = served.end()
        finally:
            served.kill()
        return root

    def page(self, served, root, must=False):
        """What a page asks for, with what it needs of the answers before: statuses other than 200 are fine unless `must`."""
        answers = []

        def ask(method, path, body=None):
            status, content = served.ask(method, path, body)
            answers.append(content)
            if must and status not in (200, 201):
                raise Finding(f"{method} {path}: {status}, {content[:300]}")
            if status >= 500 and status != 503:
                raise Finding(f"{method} {path}: {status}, {content[:300]}")
            if must:
                self.seen |= names_in(root)
            # Pictures stand before the JSON of a training or a score.
            content = content[max(content.find(b'{"job"'), 0) :] if path.startswith("/api/watched") else content
            try:
                return json.loads(content) if status in (200, 201) else {}
            except ValueError:
                return {}

        def work(body):
            job = ask("POST", "/api/jobs", body).get("job")
            if job:
                over = lambda status, state: status != 200 or state["status"] not in ("running", "queued")
                state = served.until(f"/api/jobs/{job}", over, LATE)
                if must and state["status"] != "finished":
                    raise Finding(f"{body}: {state}")
                for what in (f"jobs/{job}", f"thumb?id=runs/studio/{job}"):
                    answers.append(served.get(f"/api/{what}")[1])
            return job

        # Each pipe would take one of the threads: ask for more often than there are.
        for _ in range(3):
            ask("GET", "/api/library")
        wings = ask("POST", "/api/sessions", {"name": "wings", "seed": 7, "from": ["genomes/moth.json"], "grid": 6})
        name = wings.get("name", "wings")
        if "version" in wings:
            told = {"version": wings["version"], "at": 0, "chosen": [1, 3], "slider": 0.4, "parts": "both"}
            wings = ask("POST", f"/api/sessions/{name}/breed", told)
            told = {"version": wings.get("version", ""), "place": 1, "name": "owl"}
            ask("POST", f"/api/sessions/{name}/publish", told)
            ask("POST", f"/api/sessions/{name}/undo", {"version": wings.get("version", "")})
        run = work(TRAINING | {"steps": 200})
        score = {"job": ask("POST", "/api/watched/score", {"id": "genomes/moth.json", "samples": 4, "effect": 0.18}).get("job", 0)}
        for what in ("score-next", "score-next", "keep-score"):
            ask("POST", f"/api/watched/{what}", score)
        trained = ask("POST", "/api/watched/train", {"id": "genomes/moth.json", "size": 16, "seed": 1, "lr": 0.01})
        ask("POST", "/api/watched/keep", {"job": trained.get("job", 0)})
        if run:
            work({"kind": "prune", "id": f"runs/studio/{run}", "method": "sp", "threshold": 0.2, "steps": 20})
        for session in {"wings", name}:
            for what in ("", "/sheet?size=16", "/genome?place=0", "/picture?place=0&size=16"):
                ask("GET", f"/api/sessions/{session}{what}")
        things = ["genomes/moth.json", "genomes/owl.json", f"studio/sessions/{name}.toml/0/0"]
        things += [f"runs/studio/{run}"] if run else []
        for thing in map(quote, things):
            for what in ("network", "thumb", "picture", "maps", "score"):
                ask("GET", f"/api/{what}?id={thing}&size=16")
            ask("GET", f"/api/download?id={thing}&size=16&format=png")
        ask("GET", "/api/thumb?id=small")
        ask("GET", "/api/study?id=small")
        ask("GET", "/api/jobs")
        return answers

    # In the place of each file.

    def plant(self):
        begun, tries = time.monotonic(), []
        names = sorted(self.seen | names_in(self.base))
        for name in names:
            found = [(name, plant) for plant in PLANTS]
            most = self.options.plants
            tries += found if most is None else self.random.sample(found, min(most, len(found)))
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            found = [finding for finding in pool.map(self.guarded, range(len(tries)), tries) if finding]
        self.findings += found
        broke = f"{len(found)} findings" if found else "nothing"
        self.table.add(f"planted in the place of {len(names)} files", "studio", len(tries), broke, begun)

    def guarded(self, number, wanted):
        around = self.work / f"{number}"
        name, plant = wanted
        try:
            self.attempt(around, name, plant)
        except Finding as finding:
            what = f"studio: {plant} as {name}: {finding}"
            print(f"FINDING: {what}", flush=True)
            return what
        finally:
            shutil.rmtree(around, ignore_errors=True)

    def attempt(self, around, name, plant):
        root, elsewhere = around / "root", around / "elsewhere"
        elsewhere.mkdir(parents=True)
        shutil.copytree(self.base, root, symlinks=True)
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        PLANTS[plant](path, elsewhere)
        before = whole_state(elsewhere)
        served = Served(self.program, root)
        try:
            answers = self.page(served, root)
            served.must("GET", "/api/library")
            peak = served.end()
        finally:
            served.kill()
        if whole_state(elsewhere) != before:
            raise Finding("what it points to was changed")
        if any(SECRET.encode() in answer for answer in answers) and plant != "a hard link":
            raise Finding("a file outside of the root was shown")
        if peak > 2 * self.peak + 256:
            raise Finding(f"{peak} MiB, {self.peak} undisturbed")

    # Idle connections.

    def idle(self):
        begun, waits, longest = time.monotonic(), 0, 0
        training = TRAINING | {"steps": 6000}
        expected = self.trained(self.root("alone"), training)
        # A round takes half a minute, because places are given up after five seconds at the earliest.
        for number in range(1 if self.options.short else 1 + self.options.rounds // 5):
            kinds = [KINDS[number % len(KINDS)]] if number < len(KINDS) else KINDS
            wait = self.beside(self.root(f"idle-{number}"), training, kinds, expected)
            longest, waits = max(longest, wait), waits + 1
            shutil.rmtree(self.work / f"idle-{number}")
        broke = f"nothing; others waited {longest:.0f} s at most"
        self.table.add("400 idle connections, 256 files", "studio", waits, broke, begun)

    def trained(self, root, training):
        served = Served(self.program, root)
        try:
            job = served.must("POST", "/api/jobs", training)["job"]
            self.finished(served, job)
            served.end()
            return (root / "runs/studio" / job / "weights.safetensors").read_bytes()
        finally:
            served.kill()

    @staticmethod
    def finished(served, job):
        over = lambda _, state: state and state["status"] not in ("running", "queued")
        state = served.until(f"/api/jobs/{job}", over, 5 * LATE)
        if state["status"] != "finished":
            raise Finding(f"a training beside idle connections: {state}")

    def beside(self, root, training, kinds, expected):
        """The longest time in seconds that others waited."""
        limit = lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (FILES, FILES))
        served, held = Served(self.program, root, preexec_fn=limit), []
        try:
            job = served.must("POST", "/api/jobs", training)["job"]
            time.sleep(self.random.uniform(0, 0.5))
            for _ in range(400):
                held.append(self.random.choice(kinds)(served.port, job))
            began = time.monotonic()
            library = served.must("GET", "/api/library", seconds=LATE)
            longest = time.monotonic() - began
            if sum(not genome["builtin"] for genome in library["genomes"]) != 1:
                raise Finding(f"beside idle connections the library is {library}")
            began = time.monotonic()
            session = served.must("POST", "/api/sessions", {"seed": 4, "grid": 4}, LATE)
            told = {"version": session["version"], "at": 0, "chosen": [1], "slider": 0.4, "parts": "both"}
            served.must("POST", f"/api/sessions/{session['name']}/breed", told, LATE)
            longest = max(longest, time.monotonic() - began)
            self.finished(served, job)
            served.end()
        finally:
            for connection in held:
                connection.close()
            served.kill()
        if (root / "runs/studio" / job / "weights.safetensors").read_bytes() != expected:
            raise Finding("a training beside idle connections has other weights")
        return longest


def connected(port, text=""):
    stream = socket.create_connection(("127.0.0.1", port), timeout=LATE)
    try:
        stream.sendall(text.replace("HOST", f"127.0.0.1:{port}").encode())
    except OSError:
        # Given up by the studio already.
        pass
    return stream


def silent(port, _):
    return connected(port)


def half_a_head(port, _):
    return connected(port, "GET /api/library HTTP/1.1\r\nhost: HO")


def half_a_body(port, _):
    return connected(
        port,
        "POST /api/open?name=x.png HTTP/1.1\r\nhost: HOST\r\ncontent-type: application/octet-stream\r\n"
        "content-length: 1000000\r\n\r\nhalf",
    )


def reads_nothing(port, _):
    return connected(port, "GET /api/download?id=genomes/moth.json&size=1500 HTTP/1.1\r\nhost: HOST\r\n\r\n")


def keeps_alive(port, _):
    return connected(port, "GET /api/jobs HTTP/1.1\r\nhost: HOST\r\n\r\n")


KINDS = [silent, half_a_head, half_a_body, reads_nothing, keeps_alive]
