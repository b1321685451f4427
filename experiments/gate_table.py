"""The gate's table in Markdown: measures by gates, each cell the part that holds least.

    python3 experiments/gate_table.py figures/gate/verdicts.json [figures/recombination/verdicts.json]
    python3 experiments/gate_table.py --rows figures/gate/rows.csv.gz > measures.csv

In a cell: passed or failed, the effect in standard deviations with its interval, and the part (arm) that it is of. With
the verdicts of `recombination` the last column is the correlation with a *smaller* gap within arms.
With --rows: the study's table with one row a measure and network.
"""

import csv
import gzip
import json
import sys

GATES = ["G1", "G2", "G3", "G4", "G5", "G7"]


def number(value):
    return f"{value:+.1f}".replace("-", "−").replace("+", "")


def plain(number):
    """The column of a number as contrasts write it: -ln(brittleness) is brittleness."""
    return number.lstrip("-").removeprefix("ln(").removesuffix(")")


def rows(table, verdicts):
    """Prints the table with one row a measure and network."""
    decisions = json.load(open(verdicts))["decisions"]
    measures = []
    for decision in decisions:
        name = plain(decision["contrast"]["of"])
        if decision["contrast"]["id"].startswith("G1-permuted") and name not in measures:
            measures.append(name)
    names = ["target", "arm", "seed", "alive", "r2", "fit"]
    out = csv.writer(sys.stdout, lineterminator="\n")
    out.writerow(names + ["measure", "value"])
    for row in csv.DictReader(gzip.open(table, "rt")):
        for measure in measures:
            if row[measure]:
                out.writerow([row[name] for name in names] + [measure, row[measure]])


def gaps(verdicts):
    """The correlation of each measure with a smaller gap, as a cell."""
    found = {}
    for decision in json.load(open(verdicts))["decisions"]:
        gate, _, measure = decision["contrast"]["id"].partition(".")
        if gate == "G7":
            result = decision["found"][0]
            if result["low"] is not None:
                low, high = sorted([-result["low"], -result["high"]])
                text = f"{-result['estimate']:.2f} [{low:.2f}, {high:.2f}]".replace("-", "−")
                held = result["verdict"] == "supported"
                found[measure] = f"**{text}**" if held else text
    return found


def main():
    if sys.argv[1] == "--rows":
        return rows(sys.argv[2], sys.argv[2].replace("rows.csv.gz", "verdicts.json"))
    decisions = json.load(open(sys.argv[1]))["decisions"]
    held_out = gaps(sys.argv[2]) if len(sys.argv) > 2 else None
    cells, measures = {}, []
    for decision in decisions:
        contrast = decision["contrast"]
        gate, _, measure = contrast.get("claim", contrast["id"]).partition(".")
        if gate not in GATES:
            continue
        if measure not in measures:
            measures.append(measure)
        part = contrast["id"].removesuffix("." + measure).partition("-")[2]
        for found in decision["found"]:
            low, high = found["low"], found["high"]
            held = found["verdict"] == "supported"
            worst = -max(abs(low), abs(high)) if gate == "G1" and low is not None else low
            worst = float("-inf") if worst is None else worst
            name = part or found["name"].partition(":")[0]
            cells.setdefault((measure, gate), []).append((held, worst, found, name))
    more = [] if held_out is None else ["G7, held out"]
    print("| measure | " + " | ".join(GATES + more) + " | passes |")
    print("|---" * (len(GATES) + len(more) + 2) + "|")
    for measure in measures:
        row, passed = [], 0
        for gate in GATES:
            found = cells.get((measure, gate))
            if not found:
                row.append("")
                continue
            held, _, found, part = min(found, key=lambda cell: cell[:2])
            passed += held and gate != "G7"
            if found["estimate"] is None:
                row.append("no data")
                continue
            low, high = found["low"], found["high"]
            interval = f" [{number(low)}, {number(high)}]" if low is not None else ""
            text = f"{number(found['estimate'])}{interval} {part}"
            row.append(f"**{text}**" if held else text)
        row += [held_out.get(measure, "")] if more else []
        print(f"| {measure} | " + " | ".join(row) + f" | {passed} of 5 |")


if __name__ == "__main__":
    main()
