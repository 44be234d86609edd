# SPDX-License-Identifier: Apache-2.0
"""What all scenarios together came to: recall and precision a rule, right places, right first causes, and costs against the
gain that leaving the fault out really brings."""

import collections

from scoring import alarms, costs, replays

# What the lab must reach; below it, the exit code is 1.
LEAST = {"recall": 0.95, "precision": 0.95, "right place": 0.98, "first cause right": 0.9,
         "clock error below the residual": 0.95, "cost": 0.8, "replayed step": 0.95}


class Score:
    def __init__(self, compares_costs=True):
        self.compares_costs = compares_costs
        self.found = collections.Counter()    # by rule: expected and there
        self.expected = collections.Counter()
        self.false = collections.Counter()    # claimed, and not true
        self.places = []                      # right or not, of the expected that were found
        self.firsts = []
        self.costs = []                       # costs.Cost
        self.clocks = []                      # (scenario, error, residual, bound) in ns
        self.healthy = []                     # alarms.HealthyRun
        self.replays = []                     # (scenario, what whatif says of it unchanged)
        self.skipped = []                     # (scenario, why): neither right nor wrong
        self.harmless = []                    # drawn scenarios whose fault costs nothing that can be measured: it is not expected
        self.failed = []                      # scenarios that could not be run to their end
        self.remarks = []

    def add(self, other):
        for mine, its in ((self.found, other.found), (self.expected, other.expected), (self.false, other.false)):
            mine.update(its)
        for mine, its in ((self.places, other.places), (self.firsts, other.firsts), (self.costs, other.costs), (self.clocks, other.clocks),
                          (self.healthy, other.healthy), (self.replays, other.replays),
                          (self.skipped, other.skipped), (self.harmless, other.harmless), (self.failed, other.failed), (self.remarks, other.remarks)):
            mine += its

    def fail(self, name, error):
        self.failed.append(name)
        self.remarks.append(f"{name}: could not be run: {error}")

    def expect(self, rule, found, otherwise):
        self.expected[rule] += 1
        self.found[rule] += found
        if not found:
            self.remarks.append(otherwise)

    def deny(self, rule, remark):
        self.false[rule] += 1
        self.remarks.append(remark)

    def place(self, right, otherwise):
        self.places.append(right)
        if not right:
            self.remarks.append(otherwise)

    def first(self, right, otherwise):
        self.firsts.append(right)
        if not right:
            self.remarks.append(otherwise)

    def clock(self, name, error_ns, residual_ns, bound_ns):
        self.clocks.append((name, error_ns, residual_ns, bound_ns))
        if error_ns > residual_ns:
            self.remarks.append(f"{name}: clocks are wrong by {error_ns / 1e3:.1f} us, the residual is {residual_ns / 1e3:.1f} us")

    def table(self):
        lines = ["| rule | expected | found | recall | false | precision |", "|---|---|---|---|---|---|"]
        for rule in sorted(set(self.expected) | set(self.false)):
            lines.append(f"| {rule} | {self.expected[rule]} | {self.found[rule]} | {share(self.found[rule], self.expected[rule])} "
                         f"| {self.false[rule]} | {share(self.found[rule], self.found[rule] + self.false[rule])} |")
        found, false = sum(self.found.values()), sum(self.false.values())
        lines.append(f"| all | {sum(self.expected.values())} | {found} | {share(found, sum(self.expected.values()))} "
                     f"| {false} | {share(found, found + false)} |")
        lines += ["", f"Right place: {share(sum(self.places), len(self.places))} of {len(self.places)}. "
                      f"First cause right: {share(sum(self.firsts), len(self.firsts))} of {len(self.firsts)}."]
        if self.costs:
            lines[-1] += " " + costs.summary(self.costs, share)
        if self.clocks:
            honest = self.honest_residuals()
            lines += ["", f"Clock error below the printed residual: {share(sum(honest), len(honest))} of {len(honest)}; "
                          f"below the bound by causality: {share(sum(error <= bound for _, error, _, bound in self.clocks), len(honest))}."]
        if self.healthy:
            lines += ["", *alarms.lines(self.healthy)]
        if self.replays:
            lines += ["", replays.summary(self.replays)]
        if self.skipped:
            lines += ["", f"Skipped: {len(self.skipped)}, which count neither way.",
                      *(f"- {name}: {why}" for name, why in self.skipped)]
        if self.harmless:
            lines += ["", f"Faults that cost too little to be expected: {', '.join(self.harmless)}."]
        return "\n".join(lines)

    def honest_residuals(self):
        return [error <= residual for _, error, residual, _ in self.clocks]

    def not_run(self):
        return [f"could not be run: {', '.join(self.failed)}"] if self.failed else []

    def serious_alarms(self):
        """All that is asked of a busy host's runs."""
        return self.not_run() + alarms.serious(self.healthy)

    def missed_targets(self):
        found = sum(self.found.values())
        reached = {"recall": (found, sum(self.expected.values())), "precision": (found, found + sum(self.false.values())),
                   "right place": (sum(self.places), len(self.places)), "first cause right": (sum(self.firsts), len(self.firsts)),
                   "clock error below the residual": (sum(self.honest_residuals()), len(self.clocks)), **costs.reached(self.costs)}
        failed = self.not_run() + replays.missed(self.replays)
        return failed + [f"{name}: {share(part, whole)}, wanted {LEAST[name]}" for name, (part, whole) in reached.items()
                         if whole and part / whole < LEAST.get(name, 0)]

    def clock_lines(self):
        if self.clocks:
            yield f"{'scenario':32} {'clock error us':>14} {'residual us':>12} {'bound us':>10}"
        for name, error, residual, bound in self.clocks:
            yield f"{name:32} {error / 1e3:14.1f} {residual / 1e3:12.1f} {bound / 1e3:10.1f}"


def share(part, whole):
    return f"{part / whole:.2f}" if whole else "-"
