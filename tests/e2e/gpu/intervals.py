# SPDX-License-Identifier: Apache-2.0
"""How much slower one kind of run is than another, with its 95 % confidence interval, from rounds in which every kind ran once. The
ratio is taken within a round, so that what the machine does over minutes cancels. Standard library only."""

import math
import statistics
import time

# Student's t, two-sided 95 %, of 1 to 30 degrees of freedom.
T_95 = (12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160, 2.145, 2.131, 2.120, 2.110, 2.101,
        2.093, 2.086, 2.080, 2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045, 2.042)
LEAST_ROUNDS = 3  # fewer give no interval to speak of


def slow_down(base, kind):
    """(percent, low, high) of the geometric mean of kind / base, both lists of the same rounds; None: too few rounds."""
    if len(base) != len(kind):
        raise ValueError(f"{len(base)} and {len(kind)} rounds")
    if len(base) < LEAST_ROUNDS:
        return None
    logs = [math.log(other / own) for own, other in zip(base, kind)]
    mean = statistics.mean(logs)
    half = T_95[min(len(logs) - 1, len(T_95)) - 1] * statistics.stdev(logs) / math.sqrt(len(logs))
    return tuple(100 * math.expm1(value) for value in (mean, mean - half, mean + half))


def order(kinds, number):
    """Of round `number`: each kind is first as often as last, and every round goes the other way than the one before."""
    turned = kinds[number // 2 % len(kinds):] + kinds[:number // 2 % len(kinds)]
    return turned if number % 2 == 0 else turned[::-1]


def rounds(kinds, measure, limit_s, most, clock=time.monotonic, each_round=lambda results: None):
    """{kind: [measure(kind, round)]}: whole rounds, as many as go into limit_s by the longest so far, `most` at most; `each_round`
    gets the results after each."""
    results = {kind: [] for kind in kinds}
    start, longest_s = clock(), 0
    for number in range(most):
        began = clock()
        if began - start + longest_s > limit_s:
            break
        for kind in order(kinds, number):
            results[kind].append(measure(kind, number))
        each_round(results)
        longest_s = max(longest_s, clock() - began)
    return results


def table(results, base):
    """As text: a line a kind."""
    lines = [f"{'kind':<10}  {'rounds':>6}  {'median ms':>10}  {'slower by':>9}  95 % confidence"]
    for kind, values in results.items():
        found = None if kind == base else slow_down(results[base], values)
        text = f"{found[0]:+8.2f} %  {found[1]:+.2f} to {found[2]:+.2f} %" if found else f"{'-':>8}" if kind == base else "too few rounds"
        lines.append(f"{kind:<10}  {len(values):>6}  {statistics.median(values) / 1e6:>10.4f}  {text}" if values else
                     f"{kind:<10}  {0:>6}  not measured")
    return "\n".join(lines)
