"""Writes the ancestors of four genomes that were bred by eye, sheet by sheet, into genomes/lineages/.

    cargo build --release && python3 experiments/lineages.py target/release/picloom

Each session is replayed, what was chosen on each sheet is kept, and from the last genome the first parent of each is
followed back to the first sheet. An ancestor that two lineages share is written once, in the first. Files are named
after lineage and sheet: moth_07.json. The same sessions give the same files.
"""

import json
import shutil
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

GENOMES = Path(__file__).parent.parent / "genomes"
LINEAGES = [("bred_moth", "moth"), ("bred_face", "face"), ("bred_skull", "skull"), ("bred_bear", "bear")]


def chosen(picloom, session):
    """What was chosen in a session: genome file by birth."""
    found = {}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        script = folder / "session.toml"
        shutil.copy(session, script)
        for sheet, step in enumerate(tomllib.loads(script.read_text())["step"]):
            line = [picloom, "evolve", "--search", "interactive", "--script", script, "--out", folder]
            line += ["--sheet", str(sheet), "--quiet"]
            for place in step["chosen"]:
                line += ["--save", str(place), f"sheet_{sheet:02}_{place:02}"]
            subprocess.run(line, check=True, stdout=subprocess.DEVNULL)
        for path in sorted(folder.glob("sheet_*.json")):
            genome = json.loads(path.read_text())
            notes = genome["provenance"]["notes"]
            notes["session"] = f"genomes/sessions/{session.name}"
            found[notes["birth"]] = (int(notes["sheet"]), genome)
    return found


def main():
    picloom, folder = Path(sys.argv[1]).resolve(), GENOMES / "lineages"
    folder.mkdir(exist_ok=True)
    written = set()
    for name, lineage in LINEAGES:
        genome = json.loads((GENOMES / f"{name}.json").read_text())
        session = GENOMES.parent / genome["provenance"]["notes"]["session"]
        ancestors, line = chosen(picloom, session), []
        while genome["provenance"].get("parents"):
            birth = genome["provenance"]["parents"][0].split()[1]
            line.insert(0, ancestors[birth])
            genome = ancestors[birth][1]
        names = set()
        for sheet, genome in line:
            key = json.dumps([genome["nodes"], genome["connections"]])
            if key not in written:
                written.add(key)
                # A child may be chosen on the sheet that its parent stands on again.
                name = f"{lineage}_{sheet:02}"
                name += "b" if name in names else ""
                names.add(name)
                genome["provenance"]["name"] = name
                (folder / f"{name}.json").write_text(json.dumps(genome, indent=2) + "\n")


if __name__ == "__main__":
    main()
