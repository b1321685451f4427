"""The gate's table in Markdown: measures by gates, each cell the part that holds least.

    python3 experiments/gate_table.py figures/gate/verdicts.json

In a cell: passed or failed, the effect in standard deviations with its interval, and the part (arm) that it is of.
"""

import json
import sys

GATES = ["G1", "G2", "G3", "G4", "G5", "G7"]


def number(value):
    return f"{value:+.1f}".replace("-", "−").replace("+", "")


def main():
    decisions = json.load(open(sys.argv[1]))["decisions"]
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
    print("| measure | " + " | ".join(GATES) + " | passes |")
    print("|---" * (len(GATES) + 2) + "|")
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
        print(f"| {measure} | " + " | ".join(row) + f" | {passed} of 5 |")


if __name__ == "__main__":
    main()
