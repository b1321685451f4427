"""Looks for sums of up to three measures that pass the gate, on half of the genomes, and tests the best on the other half.

    python3 experiments/gate_combinations.py figures/gate/rows.csv.gz     # NumPy; about a minute

Chosen on the odd genomes in the order of the spec and the composed networks of seeds 1 and 2, tested on the even ones and
seeds 3 and 4. The rules are those of gate.md, with Student's t over targets.
"""

import csv
import gzip
import itertools
import math
import sys

import numpy as np

# With the sign that should mean more compositional; ln: of the logarithm.
MEASURES = (
    "score -roughness -interference decoded locality influence_orthogonality few_weight_edits edits_of_parts disentanglement"
    " -ln:needed_links function_wiring wiring_q_z -redundancy unified completeness -ln:effective_units scaling_advantage"
).split()
PARTS = [(gate, arm, arm in ("pruned", "rewired", "dense")) for gate, arms in {
    "G1": ["permuted", "duplicated", "inserted", "rescaled"], "G2": ["mixed-15", "mixed-45", "split"],
    "G3": ["shuffled", "pruned", "rewired"], "G4": ["untrained", "dense-untrained"],
    "G5": ["dense", "mixed-45", "parts-mixed"],
}.items() for arm in arms]  # fmt: skip
T = [12.71, 4.30, 3.18, 2.78, 2.57, 2.45, 2.36, 2.31, 2.26, 2.23, 2.20, 2.18, 2.16, 2.14, 2.13]


def number(row, measure):
    sign, _, column = measure.rpartition("-") if measure.startswith("-") else ("", "", measure)
    text = row[column.removeprefix("ln:")]
    if text == "":
        return math.nan
    value = math.log(max(float(text), 1e-9)) if column.startswith("ln:") else float(text)
    return -value if measure.startswith("-") else value


def main():
    rows = list(csv.DictReader(gzip.open(sys.argv[1], "rt")))
    # Patterns have no layer with relays of two parts: mixing left them as they were.
    is_mixed = lambda row: row["arm"] != "parts-mixed" or not row["target"].startswith("pattern")  # noqa: E731
    rows = [row for row in rows if is_mixed(row)]
    targets = list(dict.fromkeys(row["target"] for row in rows))
    composed = [t for t in targets if t.rpartition("_")[0] in ("face", "scene", "pattern")]
    evolved = [t for t in targets if t not in composed]
    halves = {
        "odd": (evolved[0::2], [t for t in composed if t[-1] in "12"]),
        "even": (evolved[1::2], [t for t in composed if t[-1] in "34"]),
    }
    place = {t: i for i, t in enumerate(targets)}

    def means(arm, learned, measure):
        sums, counts = np.zeros(len(targets)), np.zeros(len(targets))
        for row in rows:
            if row["arm"] == arm and (not learned or row["fit"] == "true"):
                value = number(row, measure)
                if not math.isnan(value):
                    sums[place[row["target"]]] += value
                    counts[place[row["target"]]] += 1
        return np.where(counts > 0, sums / np.maximum(counts, 1), np.nan)

    arms = {("evolved", False)} | {(arm, learned) for _, arm, learned in PARTS}
    odd = [place[t] for t in halves["odd"][0]]
    table = {}
    for measure in MEASURES:
        own = {key: means(*key, measure) for key in arms}
        scale = np.nanstd(own["evolved", False][odd], ddof=1)
        table[measure] = {key: values / scale for key, values in own.items()}

    def gates(measures, weights, half):
        total = {key: sum(w * table[m][key] for m, w in zip(measures, weights)) for key in arms}
        scale = np.nanstd(total["evolved", False][odd], ddof=1)
        held = {}
        for gate, arm, learned in PARTS:
            units = halves[half][1 if gate == "G5" else 0]
            x = ((total["evolved", False] - total[arm, learned]) / scale)[[place[t] for t in units]]
            x = x[~np.isnan(x)]
            width = T[min(len(x) - 2, 14)] * x.std(ddof=1) / len(x) ** 0.5 if len(x) > 1 else math.inf
            mean = x.mean() if len(x) else 0
            holds = abs(mean) + width < 0.3 if gate == "G1" else mean - width > 0
            held.setdefault(gate, []).append(bool(holds))
        return {gate: all(parts) for gate, parts in held.items()}, sum(map(sum, held.values()))

    tries = [((m,), (1,)) for m in MEASURES]
    tries += [(p, (1, w)) for p in itertools.combinations(MEASURES, 2) for w in (0.25, 0.5, 1, 2, 4)]
    thirds = list(itertools.product((0.5, 1, 2), repeat=2))
    tries += [(t, (1, *w)) for t in itertools.combinations(MEASURES, 3) for w in thirds]
    found = [(sum(passed.values()), parts, names, weights) for names, weights in tries
             for passed, parts in [gates(names, weights, "odd")]]  # fmt: skip
    found.sort(key=lambda one: one[:2], reverse=True)
    print(f"{len(tries)} sums tried on the odd half; the best, tested on the even half:")
    for gates_passed, parts, names, weights in found[:5]:
        passed, even = gates(names, weights, "even")
        tested = ", ".join(gate for gate, held in passed.items() if held) or "none"
        formula = " + ".join(f"{w:g} {n}" for n, w in zip(names, weights))
        print(f"{formula}: {gates_passed} gates, {parts} of {len(PARTS)} parts; even half: {tested}, {even} parts")


if __name__ == "__main__":
    main()
