"""Runs the program, and looks at the files that it leaves."""

import json
import os
import resource
import subprocess
import tempfile
import time
import tomllib
import zipfile
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent.parent
# Written when a run, a search or a study is finished.
RESULTS = ("result.json", "study.json", "claims.json")
# Address space of a process that is given files of strangers: more is asked for only by a read without bound.
LARGEST_PROCESS = 8 << 30


class Finding(Exception):
    """Something is lost, hangs, crashes, or is not as promised."""


class Ended(NamedTuple):
    """How a process ended: its exit code, its messages, and the most memory it held, in MiB."""

    code: int
    error: str
    peak: int


class Table:
    """The table that is printed in the end: one row a fault and what it was tried on."""

    def __init__(self):
        self.rows = []

    def add(self, fault, on, tries, broke, begun):
        self.rows.append((fault, on, tries, broke))
        print(f"{fault}, {on}: {tries} tries in {time.monotonic() - begun:.0f} s, broke: {broke}", flush=True)

    def __str__(self):
        rows = [("attacked with", "what", "tries", "broke"), ("---",) * 4, *self.rows]
        return "\n".join("| " + " | ".join(map(str, row)) + " |" for row in rows)


class Program:
    """The binary under attack."""

    def __init__(self, path):
        self.path = Path(path).resolve()

    def start(self, arguments, **more):
        # The whole study belongs to the paper's program.
        whole = arguments[:2] == ["run", "experiments/study.toml"]
        program = self.path.with_name("picloom-experiments") if whole else self.path
        return subprocess.Popen(
            [program, *arguments],
            cwd=ROOT,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            **more,
        )

    def finish(self, arguments, **more):
        process = self.start(arguments, **more)
        error = process.communicate()[1].decode()
        return process.returncode, error

    def must(self, arguments):
        code, error = self.finish(arguments)
        if code != 0:
            raise Finding(f"{' '.join(map(str, arguments))}\n  exit {code}: {error.strip()}")

    def measured(self, arguments, seconds, meanwhile=lambda: None):
        """Runs it to its end, which must come within `seconds`. Calls `meanwhile` every few milliseconds."""
        with tempfile.TemporaryFile() as said:
            process = subprocess.Popen(
                [self.path, *arguments], cwd=ROOT, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=said
            )
            until = time.monotonic() + seconds
            while True:
                meanwhile()
                found, status, usage = os.wait4(process.pid, os.WNOHANG)
                if found:
                    break
                if time.monotonic() > until:
                    process.kill()
                    process.wait()
                    raise Finding(f"{shown(arguments)} hangs: no end after {seconds} s")
                time.sleep(0.002)
            process.returncode = os.waitstatus_to_exitcode(status)
            said.seek(0)
            return Ended(process.returncode, said.read().decode(errors="replace"), usage.ru_maxrss >> 10)


def shown(arguments):
    return " ".join(os.fsencode(word).decode(errors="backslashreplace") for word in arguments)


def limit_memory():
    """Bounds the address space of this process and of all that it starts, so that no read without bound takes the machine down."""
    hard = resource.getrlimit(resource.RLIMIT_AS)[1]
    resource.setrlimit(resource.RLIMIT_AS, (LARGEST_PROCESS, hard))


def files(out):
    """The files of a folder; no locks, leases or temporary files."""
    if not out.exists():
        return []
    found = (path for path in out.rglob("*") if path.is_file() and "leases" not in path.parts)
    return [path for path in found if not path.name.startswith(".")]


def leftovers(out):
    return [path for path in out.rglob(".*.tmp")] if out.exists() else []


def readable(path):
    """Raises if a file is cut off or of another kind."""
    data = path.read_bytes()
    try:
        match path.suffix:
            case ".json":
                json.loads(data)
            case ".jsonl":
                *lines, _ = data.split(b"\n")
                for line in lines:
                    json.loads(line)
            case ".toml":
                tomllib.loads(data.decode())
            case ".png":
                assert data.startswith(b"\x89PNG") and data.endswith(b"IEND\xaeB`\x82"), "cut off"
            case ".svg" | ".html":
                assert data.rstrip().endswith((b"</svg>", b"</html>")), "cut off"
            case ".npz":
                assert zipfile.ZipFile(path).testzip() is None, "damaged"
            case ".safetensors":
                head = 8 + int.from_bytes(data[:8], "little")
                tensors = json.loads(data[8:head])
                ends = [t["data_offsets"][1] for n, t in tensors.items() if n != "__metadata__"]
                assert head + max(ends) == len(data), "cut off"
            case _:
                assert data, "empty"
    except Exception as error:
        raise Finding(f"{path} is unreadable: {error}") from error


def is_flawed(path):
    """True for a record that says of a row that it failed: the next run tries it again."""
    data = path.read_bytes() if path.name in ("study.json", "claims.json") else b""
    return b'"name": "error"' in data or b'"error":' in data


def timeless(path, out):
    """The content of a file in the folder `out`, without wall times and without the folder's name."""
    if path.name == "manifest.json":
        return b""
    if path.name != "metrics.jsonl":
        data = path.read_bytes().replace(os.fsencode(out), b"OUT")
        # A report names the store that it was made in by the last part of its path.
        return data.replace(os.fsencode(out.name), b"OUT") if path.suffix == ".html" else data
    try:
        lines = [json.loads(line) for line in path.read_text().splitlines()]
    except ValueError:
        return path.read_bytes()
    for line in lines:
        line.pop("seconds", None)
    return lines


def contents(out, but=()):
    """The contents of the files of a folder by their names, without those in `but`."""
    found = {
        str(path.relative_to(out)): timeless(path, out) for path in files(out)
        # The machine and its time differ from run to run.
        if path not in but and path.name != "machine.json"
    }
    # A finished run has no temporary files.
    return found | {str(path.relative_to(out)): b"" for path in leftovers(out)}
