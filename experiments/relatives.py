"""Writes relatives of ancestors of bred genomes into genomes/relatives/: siblings and children, as their sessions drew them.

    cargo build --release && python3 experiments/relatives.py target/release/picloom

Of each lineage of genomes/lineages/ three ancestors are taken, a quarter, a half and three quarters along. Its session is
replayed: of the sheet that it was chosen on the first three others of the same first parent are its siblings, of the next
sheet the first three of which it is the first parent its children. The same sessions give the same files.
"""

import json
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

GENOMES = Path(__file__).parent.parent / "genomes"
LINEAGES = ["bear", "face", "moth", "skull"]


def sheet_of(picloom, session, sheet):
    """The genomes of a sheet, in the order of their places."""
    with tempfile.TemporaryDirectory() as name:
        # The command goes on in the session's file; the committed one stays as it is.
        script = shutil.copy(GENOMES.parent / session, name)
        line = [picloom, "evolve", "--search", "interactive", "--script", script, "--sheet", str(sheet)]
        subprocess.run([*line, "--out", name, "--quiet"], check=True, stdout=subprocess.DEVNULL)
        return [json.loads(path.read_text()) for path in sorted(Path(name, "genomes").glob("*.json"))]


def of_parent(genomes, parent, own):
    """The first three of one parent, without the genome itself and what repeats another."""
    found, seen = [], [own]
    for genome in genomes:
        key = [genome["nodes"], genome["connections"]]
        if genome["provenance"].get("parents", [None])[0] == parent and key not in seen:
            seen.append(key)
            found.append(genome)
    return found[:3]


def main():
    picloom, folder = Path(sys.argv[1]).resolve(), GENOMES / "relatives"
    folder.mkdir(exist_ok=True)
    for lineage in LINEAGES:
        line = sorted((GENOMES / "lineages").glob(f"{lineage}_*.json"))
        for quarter in (1, 2, 3):
            path = line[quarter * len(line) // 4]
            genome = json.loads(path.read_text())
            about, own = genome["provenance"], [genome["nodes"], genome["connections"]]
            sheet, session = int(about["notes"]["sheet"]), about["notes"]["session"]
            siblings = of_parent(sheet_of(picloom, session, sheet), about["parents"][0], own)
            children = of_parent(sheet_of(picloom, session, sheet + 1), f"birth {about['notes']['birth']}", own)
            for kind, relatives in (("sibling", siblings), ("child", children)):
                for i, relative in enumerate(relatives, 1):
                    name = f"{path.stem}_{kind}_{i}"
                    relative["provenance"]["name"] = name
                    (folder / f"{name}.json").write_text(json.dumps(relative, indent=2) + "\n")
            print(path.stem, len(siblings), len(children))


if __name__ == "__main__":
    main()
