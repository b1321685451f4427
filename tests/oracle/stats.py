"""Numbers from scipy, scikit-learn and numpy that `tests/rooms/stats_oracle.rs` holds `base::stats`
to. Samples come from a small linear congruential generator, so that the JSON
holds everything and nothing depends on numpy's random streams.

    python tests/oracle/stats.py > tests/oracle/stats.json

scipy 1.17, scikit-learn 1.9, numpy 2.4.
"""

import json

import numpy as np
from scipy import special, stats
from sklearn import metrics

state = 12345


def draw(n, ties=False):
    """n numbers in [0, 1); with ties: in tenths."""
    global state
    out = []
    for _ in range(n):
        state = (state * 1103515245 + 12345) % 2**31
        u = state / 2**31
        out.append(round(u, 1) if ties else u)
    return out


def delong(p, n, level):
    """DeLong's interval from its definition, in numpy."""
    p, n = np.array(p), np.array(n)
    wins = (p[:, None] > n[None, :]) + 0.5 * (p[:, None] == n[None, :])
    a = wins.mean()
    var = wins.mean(1).var(ddof=1) / len(p) + wins.mean(0).var(ddof=1) / len(n)
    half = stats.norm.ppf(0.5 + level / 2) * np.sqrt(var)
    return [max(0, a - half), min(1, a + half)]


def kappa_error(table):
    """Fleiss, Cohen & Everitt (1969), from the published formula."""
    n = table.sum()
    p = table / n
    row, col = p.sum(1), p.sum(0)
    po, pe = np.trace(p), (row * col).sum()
    k = (po - pe) / (1 - pe)
    a = sum(p[i, i] * (1 - (row[i] + col[i]) * (1 - k)) ** 2 for i in range(len(p)))
    b = (1 - k) ** 2 * sum(
        p[i, j] * (col[i] + row[j]) ** 2
        for i in range(len(p))
        for j in range(len(p))
        if i != j
    )
    c = (k - pe * (1 - k)) ** 2
    return float(np.sqrt((a + b - c) / n) / (1 - pe))


cases = {"special": [], "samples": [], "wilson": [], "pairs": [], "auc": [], "kappa": []}

for t, df in [(-12.0, 3), (-2.5, 1), (0.3, 2), (1.7, 4.5), (4.0, 30), (2.0, 500)]:
    cases["special"].append(
        {
            "t": t,
            "df": df,
            "cdf": stats.t.cdf(t, df),
            "quantile_975": stats.t.ppf(0.975, df),
            "normal": stats.norm.cdf(t),
            "beta": special.betainc(df / 2, abs(t), 0.37),
        }
    )

for k, n in [(0, 7), (1, 9), (81, 263), (50, 50), (3, 1000)]:
    for level in (0.9, 0.95):
        ci = stats.binomtest(k, n).proportion_ci(level, method="wilson")
        cases["wilson"].append({"k": k, "n": n, "level": level, "low": ci.low, "high": ci.high})

for n in (2, 3, 10, 51):
    x = draw(n)
    mean_ci = stats.t.interval(0.95, n - 1, np.mean(x), stats.sem(x))
    cases["samples"].append(
        {
            "x": x,
            "mean": np.mean(x),
            "variance": np.var(x, ddof=1),
            "standard_error": stats.sem(x),
            "quantiles": [[q, np.quantile(x, q)] for q in (0.0, 0.025, 0.31, 0.5, 0.9, 1.0)],
            "t_interval": list(mean_ci),
        }
    )

for n, ties in [(4, False), (5, True), (7, True), (8, False), (9, True), (20, True), (40, False)]:
    x = draw(n, ties)
    y = [a * 0.5 + b for a, b in zip(x, draw(n, ties))]
    y = [round(v, 6) for v in y]
    case = {
        "x": x,
        "y": y,
        "pearson": stats.pearsonr(x, y)[0],
        "spearman": stats.spearmanr(x, y)[0],
        "paired_t": stats.ttest_rel(x, y).statistic,
        "paired_p": stats.ttest_rel(x, y).pvalue,
    }
    ts = stats.theilslopes(y, x, 0.95, method="joint")
    case["theil_sen"] = [ts.slope, ts.intercept, ts.low_slope, ts.high_slope]
    if n <= 8:
        rx, ry = stats.rankdata(x), stats.rankdata(y)
        for name in ("two-sided", "greater", "less"):
            test = stats.permutation_test(
                (rx,),
                lambda a: stats.pearsonr(a, ry)[0],
                permutation_type="pairings",
                n_resamples=np.inf,
                alternative=name,
                vectorized=False,
            )
            # scipy doubles the smaller tail; ours counts |rho|. Both are recorded from one walk.
            case["p " + name] = test.pvalue
        null = test.null_distribution
        case["p abs"] = float(np.mean(np.abs(null) >= abs(case["spearman"]) - 1e-9))
    cases["pairs"].append(case)

for m, n, ties in [(3, 4, False), (8, 5, True), (30, 20, True), (40, 60, False)]:
    p = [v + 0.2 for v in draw(m, ties)]
    q = draw(n, ties)
    p = [round(v, 6) for v in p]
    case = {
        "positives": p,
        "negatives": q,
        "auc": metrics.roc_auc_score([1] * m + [0] * n, p + q),
        "delong": delong(p, q, 0.95),
    }
    if m + n <= 13:
        ranks = stats.rankdata(p + q)
        from itertools import combinations

        centre = m * (m + n + 1) / 2
        sums = [abs(sum(ranks[list(c)]) - centre) for c in combinations(range(m + n), m)]
        case["p"] = float(np.mean([s >= sums[0] - 1e-9 for s in sums]))
    cases["auc"].append(case)

for n, k in [(30, 2), (50, 3), (200, 4)]:
    a = [int(v * k) for v in draw(n)]
    b = [x if v < 0.6 else int(w * k) for x, v, w in zip(a, draw(n), draw(n))]
    table = metrics.confusion_matrix(a, b, labels=range(k))
    cases["kappa"].append(
        {
            "a": a,
            "b": b,
            "classes": k,
            "table": table.ravel().tolist(),
            "kappa": metrics.cohen_kappa_score(a, b),
            "error": kappa_error(table),
        }
    )

print(json.dumps(cases, default=float))
