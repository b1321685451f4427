"""The gate's table in Markdown: measures by gates, each cell the part that holds least.

    python3 experiments/gate_table.py figures/gate/verdicts.json \\
        figures/gate_people/verdicts.json figures/recombination_seeds/verdicts.json
    python3 experiments/gate_table.py --rows figures/gate/rows.csv.gz > measures.csv

In a cell: ✓ if the gate is passed, the effect in standard deviations with its interval, the part (arm) that it is of, and
how many pictures it is over.
G6 and G7 are correlations: with people's labels, with few-weight edits, with a *smaller* gap (held out).
With --rows: the study's table with one row a measure and network.
"""

import csv
import gzip
import json
import sys

GATES = ["G1", "G2", "G3", "G4", "G5", "G7"]
HEADS = ["G1", "G2", "G3", "G4", "G5", "G6, labels", "G7, edits", "G7, held out"]


NAMES = {
    "wiring_q_z": "modularity z",
    "function_wiring": "links keep to modules of function",
    "decoded": "variance decoded linearly",
    "reuse": "reuse of units",
    "interference": "interference of maps",
    "duplicates": "duplicate maps",
    "unit_axis_advantage": "axis advantage of units",
    "scaling_advantage": "axis advantage of scaling",
    "contribution_gini": "Gini of contributions",
    "effective_units": "effective units a pixel",
    "interaction": "two-weight interaction",
    "few_weight_edits": "few-weight edits",
}


def number(value, digits=1):
    return f"{round(value, digits) + 0.0:.{digits}f}".replace("-", "−")


def called(number):
    """A measure for people, with its sign and logarithm: −ln needed links."""
    name = NAMES.get(plain(number), plain(number).replace("_", " "))
    return ("−" if number.startswith("-") else "") + ("ln " if "ln(" in number else "") + name


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


def correlations(verdicts):
    """By measure the cells of G6 (people's labels) and of the held-out half of G7, where these verdicts have them."""
    found = {}
    for decision in json.load(open(verdicts))["decisions"]:
        contrast = decision["contrast"]
        gate, _, measure = contrast["id"].partition(".")
        # The agreement with labels is a measure of its own: it needs no other number.
        gate, measure = ("G6", "label_agreement") if gate == "G6-labels" else (gate.removesuffix("-other"), measure)
        if gate not in ("G6", "G7"):
            continue
        result = decision["found"][0]
        if result["low"] is None:
            continue
        values = [result[key] for key in ("estimate", "low", "high")]
        if gate == "G7":
            values = [-values[0], -values[2], -values[1]]
        value, low, high = [number(value, 2) for value in values]
        text = f"{value} [{low}, {high}], {len(result['units'])}"
        found[measure, gate] = f"✓ **{text}**" if result["verdict"] == "supported" else text
    return found


def main():
    if sys.argv[1] == "--rows":
        return rows(sys.argv[2], sys.argv[2].replace("rows.csv.gz", "verdicts.json"))
    decisions = json.load(open(sys.argv[1]))["decisions"]
    more = {}
    for verdicts in sys.argv[2:]:
        more |= correlations(verdicts)
    cells, measures, names = {}, [], {}
    for decision in decisions:
        contrast = decision["contrast"]
        gate, _, measure = contrast.get("claim", contrast["id"]).partition(".")
        if gate not in GATES:
            continue
        if measure not in measures:
            measures.append(measure)
            names[measure] = called(contrast["of"])
        part = contrast["id"].removesuffix("." + measure).partition("-")[2]
        for found in decision["found"]:
            low, high = found["low"], found["high"]
            held = found["verdict"] == "supported"
            worst = -max(abs(low), abs(high)) if gate == "G1" and low is not None else low
            worst = float("-inf") if worst is None else worst
            name = part or found["name"].partition(":")[0]
            cells.setdefault((measure, gate), []).append((held, worst, found, name))
    print("| measure | " + " | ".join(HEADS) + " | passes |")
    print("|---" * (len(HEADS) + 2) + "|")
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
            text = f"{number(found['estimate'])}{interval} {part}, {len(found['units'])}"
            row.append(f"✓ **{text}**" if held else text)
        row.insert(GATES.index("G7"), more.get((measure, "G6"), ""))
        row.append(more.get((measure, "G7"), ""))
        print(f"| {names[measure]} | " + " | ".join(row) + f" | {passed} of 5 |")
    if ("label_agreement", "G6") in more:
        print("| label agreement | | | | | | " + more["label_agreement", "G6"] + " | | | needs labels |")


if __name__ == "__main__":
    main()
